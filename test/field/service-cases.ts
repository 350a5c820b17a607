import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { redfishDriver } from '../../activities/drivers/redfish/driver.ts';
import { requireInventory } from '../../activities/inventory/load.ts';
import { withBmc } from '../../activities/redfish/transport.ts';
import { until, type LabEvent } from '../activities/drivers/redfish/bench.ts';
import { failureOf, NODE } from './lane.ts';
import { inserts } from './media-cases.ts';
import type { Case } from './row.ts';

const logins = (events: readonly LabEvent[]): LabEvent[] =>
  events.filter((e) => e['method'] === 'POST' && String(e['path']).endsWith('/Sessions'));
const CHANGES = ['reset', 'insertMedia', 'patchBoot', 'ejectMedia'] as const;
const each = (fault: string): { [name: string]: number } =>
  Object.fromEntries(CHANGES.map((change) => [`${change}.${fault}`, 1]));

export const SERVICE_CASES: readonly Case[] = [
  {
    id: 'sess-38',
    what: '503, session limit: waits, without a storm',
    faults: { sessionsForgotten: 1, sessionLimit: 1 },
    check: (events) => {
      const [first, second, ...more] = logins(events).map(({ time }) => Date.parse(String(time)));
      expect(more).toEqual([]);
      expect(second! - first!).toBeGreaterThan(4_000);
    },
  },
  { id: 'sess-41', what: 'connections dropped', faults: { bmcDown: 6 } },
  { id: 'sess-41', what: '503 to everything', faults: { bmcBusy: 5 } },
  { id: 'sess-41', what: '503 with Retry-After', faults: { bmcBusyRetryAfter: 3 } },
  { id: 'sess-41', what: '503 to what changes something', faults: each('status503RetryAfter') },
  {
    id: 'sess-41',
    what: 'answers that are lost: nothing is done twice',
    faults: each('lostResponse'),
    check: (events) => {
      expect(events.filter(({ event }) => event === 'insert')).toHaveLength(2);
      expect(inserts(events)).toHaveLength(2);
    },
  },
  {
    id: 'sess-44',
    what: '401 in the middle: one new login',
    faults: { sessionsForgotten: 1 },
    check: (events) => expect(logins(events)).toHaveLength(1),
  },
  {
    id: 'sess-44',
    what: '401 to a logout fails nothing',
    faults: { logoutRefused: true },
    run: async (lane) => {
      const short = { ...lane.endpoint, timeouts: { sessionIdleMs: 1 } };
      await withBmc(short, (bmc) => bmc.get('/redfish/v1/Systems/1'));
      await until('the logout', async () =>
        (await lane.bench.log(NODE)).some((e) => e['fault'] === 'logoutRefused') ? true : undefined,
      );
      const operation = lane.begin('enroll');
      await operation.run();
      operation.end();
      await fetch(`${lane.bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
      // Which stays open on the BMC is for its own time-out; here the account is written again.
      const { credentials } = lane.endpoint;
      await lane.write('PATCH', '/AccountService/Accounts/1', { Password: credentials.password });
    },
  },
  {
    id: 'sess-46',
    what: 'the password has to be changed: an error that says so',
    faults: { passwordChangeRequired: true },
    fails: {
      step: 'connect',
      code: 'BMC_PASSWORD_CHANGE_REQUIRED',
      domain: 'bmc',
      says: /password/i,
    },
    check: (events) => {
      expect(logins(events).length).toBeLessThanOrEqual(1);
      expect(events.filter(({ event }) => event === 'account-locked')).toEqual([]);
    },
  },
  {
    id: 'sess-47',
    what: 'a wrong password is sent once, however many ask',
    faults: { sessionsForgotten: 1, passwordWrong: 20 },
    run: async (lane) => {
      const operation = lane.begin('enroll');
      expect(await failureOf(operation.step('connect'))).toMatchObject({
        code: 'BMC_AUTH_FAILED',
        retryable: false,
      });
      for (let i = 0; i < 8; i += 1) {
        await Promise.allSettled(
          Object.values(redfishDriver.facts).map((ask) => ask(operation.context('facts'))),
        );
      }
      operation.end();
    },
    check: (events) => {
      expect(events.filter((e) => e['fault'] === 'passwordWrong')).toHaveLength(1);
      expect(events.filter(({ event }) => event === 'account-locked')).toEqual([]);
    },
    // It was put right on the BMC, and somebody asks anew.
    probe: async (lane) => {
      await lane.clearFaults();
      await lane.operate([['enroll']]);
    },
  },
  {
    id: 'shape-43',
    what: 'a NIC without its MAC address',
    faults: { nicWithoutMac: true },
    ops: [['enroll'], ['deploy'], ['clean', { erase: 'metadata' }]],
  },
  {
    id: 'shape-43',
    what: 'the MAC address is known from another source',
    faults: { nicWithoutMac: true },
    run: async (lane) => {
      const operation = lane.begin('enroll');
      await operation.run();
      operation.end();
      const { macs } = lane.bench.evidence.get(
        `${operation.ref.requestId}/inspect/inspection`,
      ) as unknown as {
        macs: readonly string[];
      };
      const [port] = lane.bench.inventory.nodes.find(({ name }) => name === NODE)!.ports;
      expect(macs).toContain(port!.mac);
    },
  },
  {
    id: 'shape-49',
    what: 'required fields and links are missing',
    faults: { fieldsMissing: true },
    ops: [['enroll'], ['deploy'], ['clean', { erase: 'metadata' }]],
  },
  {
    id: 'shape-49',
    what: 'the links from a system to its manager, and what is under the manager only',
    faults: { fieldsMissing: true, mediaOnlyUnderManager: true },
  },
  {
    id: 'shape-50',
    what: 'N/A for numbers, ExtendedInfo an object',
    faults: { numbersAreText: true, errorInfoIsObject: true, insertNeedsProtocol: true },
    ops: [['enroll'], ['deploy'], ['clean', { erase: 'metadata' }]],
  },
  {
    id: 'shape-63',
    what: "a Manager's URL, or an address without a scheme: refused with the inventory",
    faults: {},
    run: async (lane) => {
      const { address } = lane.endpoint;
      const text = readFileSync(lane.bench.lab.inventory, 'utf8');
      for (const wrong of [`${address}/redfish/v1/Managers/1`, new URL(address).host]) {
        const file = `${lane.bench.lab.inventory}.wrong.yaml`;
        writeFileSync(file, text.replace(address, wrong));
        const { code, message } = await failureOf(requireInventory(file));
        expect([code, message]).toEqual(['CONTRACT_INVALID', expect.stringContaining('address')]);
      }
    },
  },
  {
    id: 'bios-55',
    what: 'a BIOS without a settings object: an error that says so',
    faults: { biosReadOnly: true },
    ops: [['clean']],
    fails: {
      step: 'clear-tpm',
      code: 'TPM_CLEAR_UNSUPPORTED',
      domain: 'firmware',
      says: /no settings object/,
    },
  },
];

import { expect } from 'vitest';
import { redfishDriver } from '../../activities/drivers/redfish/driver.ts';
import type { JsonObject } from '../../core/json.ts';
import type { LabEvent, Running } from '../activities/drivers/redfish/bench.ts';
import { failureOf, type Lane } from './lane.ts';
import type { Case, Op } from './row.ts';

const bios = (settings: JsonObject): Op => ['service', { steps: [{ step: 'bios', settings }] }];
const AS_IT_IS: Op = bios({ LogicalProc: 'Enabled' });
const OTHER: Op = bios({ LogicalProc: 'Disabled' });

const writes = (events: readonly LabEvent[]): LabEvent[] =>
  events.filter((e) => e['method'] === 'PATCH' && String(e['path']).endsWith('/Bios/Settings'));
const jobs = (events: readonly LabEvent[]): LabEvent[] => events.filter(({ event }) => event === 'bios-job');
const once = (events: readonly LabEvent[]): void => {
  expect(writes(events)).toHaveLength(1);
  expect(jobs(events)).toHaveLength(1);
};

/** Another write, and another request for the job, while there is one. */
async function askAgain(lane: Lane): Promise<void> {
  const operation = lane.begin('service', OTHER[1]);
  await operation.run('set-bios');
  const target = '/redfish/v1/Systems/1/Bios/Settings';
  expect(await lane.write('POST', '/Managers/1/Jobs', { TargetSettingsURI: target })).toBe(400);
  await operation.step('set-bios');
  await rest(operation, 'restart');
  await lane.nothingLeft();
}

/** What reads right once and flips is not believed: the step says "not yet". */
async function readTwice(lane: Lane): Promise<void> {
  const operation = lane.begin('service', OTHER[1]);
  await operation.run('restart');
  const verify = redfishDriver.steps['verify-bios']!;
  expect(await failureOf(verify(operation.context('verify-bios')))).toMatchObject({
    code: 'BIOS_NOT_APPLIED',
    retryable: true,
  });
  await rest(operation, 'verify-bios');
  await lane.nothingLeft();
}

/** The steps of an operation from this one on. */
async function rest(operation: Running, from: string): Promise<void> {
  const { steps } = operation;
  for (const { id } of steps.slice(steps.findIndex((step) => step.id === from))) await operation.step(id);
  operation.end();
}

export const BIOS_CASES: readonly Case[] = [
  {
    id: 'bios-52',
    what: 'the write of settings makes the job: it is adopted, and none is made',
    before: [AS_IT_IS],
    faults: { biosJobOnPatch: true },
    ops: [OTHER],
    check: once,
  },
  {
    id: 'bios-52',
    what: 'the same, and the answer that names the job is lost: one write',
    before: [AS_IT_IS],
    faults: { biosJobOnPatch: true, 'patchBios.lostResponse': 1 },
    ops: [OTHER],
    check: once,
  },
  {
    id: 'bios-52',
    what: '400 to a second request for the job: set-bios asks again, and writes nothing',
    before: [AS_IT_IS],
    faults: { biosJobOnPatch: true },
    run: askAgain,
    check: once,
  },
  {
    id: 'bios-53',
    what: 'equal values: nothing is written, nothing restarted',
    before: [AS_IT_IS],
    faults: { biosEqualNoJob: 1 },
    never: ['biosEqualNoJob'],
    ops: [AS_IT_IS],
    check: (events) =>
      expect(events.filter(({ event }) => event === 'power' || event === 'request')).toEqual([]),
    probe: (lane) =>
      lane.write('PATCH', '/Systems/1/Bios/Settings', { Attributes: { LogicalProc: 'Enabled' } }),
  },
  {
    id: 'bios-55',
    what: 'settings without a settings object: read-only, and an error that says so',
    before: [AS_IT_IS],
    faults: { biosReadOnly: true },
    ops: [OTHER],
    fails: { step: 'check-bios', code: 'BIOS_READ_ONLY', domain: 'firmware', says: /no settings object/ },
    check: (events) => expect(writes(events)).toEqual([]),
  },
  {
    id: 'boot-19',
    what: '428 to a write of BIOS settings: If-Match with the ETag as given',
    before: [AS_IT_IS],
    faults: { patchNeedsEtag: true },
    ops: [OTHER],
  },
  {
    id: 'boot-25',
    what: 'in POST: a write of BIOS settings backs off',
    before: [AS_IT_IS],
    faults: { biosInPost: 2 },
    ops: [OTHER],
    check: (events) => expect(writes(events)).toHaveLength(3),
  },
  {
    id: 'life-66',
    what: 'BIOS settings read right once, then flip: read twice in a row',
    before: [AS_IT_IS],
    faults: { biosFlips: 1 },
    run: readTwice,
  },
];

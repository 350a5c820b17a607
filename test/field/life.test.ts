import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationReport } from '../../core/operations.ts';
import type { LabEvent, LabServer } from '../activities/drivers/redfish/bench.ts';
import { until } from '../activities/drivers/redfish/bench.ts';
import { startOutsideLab, type OutsideLab } from '../e2e/kill9/site.ts';
import { startProduct, type Product } from '../e2e/support/product.ts';

// Rows of the field reports that are about more than the driver: the product as its users have it, with Temporal,
// worker and gateway in processes of their own, over the lab.

/** An agent that does not call is given up after this. */
const AGENT_SECONDS = 30;

const home = mkdtempSync(join(tmpdir(), 'rackwright-field-life-'));
let lab: OutsideLab;
let product: Product;
const told: string[] = [];

beforeAll(async () => {
  product = await startProduct({
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'lab'), { servers: 4, speed: 50, gatewayUrl });
      return stringify({ ...lab.contract, timeouts: { agent: AGENT_SECONDS } });
    },
  });
});
afterAll(async () => {
  if (told.length > 0) process.stdout.write(`\n${told.join('\n')}\n`);
  await product?.stop();
  await lab?.stop();
  await rm(home, { recursive: true, force: true });
});

const ask = <T>(path: string): Promise<T> => lab.ask<T>(path);
const server = (node: string): Promise<LabServer> => ask<LabServer>(node);
const log = async (node: string): Promise<readonly LabEvent[]> =>
  (await ask<{ entries: LabEvent[] }>(`${node}/log`)).entries;
const faults = (node: string, switches: object): Promise<unknown> => lab.faults(node, switches);
const fired = async (node: string): Promise<string[]> =>
  (await log(node)).flatMap((each) => (each.event === 'fault-fired' ? [String(each['fault'])] : []));

/** Runs a verb to its end, whatever that is. */
const verb = async (...args: string[]): Promise<OperationReport> =>
  (await product.answer<OperationReport>('node', ...args)).document;
const phaseOf = async (node: string): Promise<string> =>
  (await product.json<{ phase: string }>('node', 'show', node)).phase;

/** Nothing runs on it, nothing of ours is left, and nobody is given it. */
async function neverAvailable(node: string): Promise<void> {
  const { power, override, media, disks } = await server(node);
  expect([power, override.enabled]).toEqual(['Off', 'Disabled']);
  expect(Object.values(media).some((slot) => slot.inserted)).toBe(false);
  expect(disks.some(({ canaries }) => canaries.length > 0)).toBe(true);
  expect(await phaseOf(node)).toBe('clean-failed');
  const image = lab.contract.images[0]!.name;
  const deploy = await product.cli('node', 'deploy', node, '--image', image, '--owner', 'mallory');
  expect([deploy.code, deploy.stderr + deploy.stdout]).toEqual([1, expect.stringContaining('ILLEGAL_VERB')]);
}

/** The machine ran what stands on its disk, after it had been started for this operation. */
const ranItsDisk = async (node: string): Promise<boolean> =>
  (await log(node)).some(({ event }) => event === 'system-started');

const played = (name: string): void => void told.push(`${name.padEnd(86)} ok`);

describe.concurrent('played through the product', () => {
  it('life-57: the erase fails, and the machine restarts into its old system', async () => {
    const node = 'node-001';
    await product.json('node', 'enroll', node);
    await faults(node, { eraseFailsReboots: 1 });
    const report = await verb('clean', node, '--on-failure', 'fail');
    expect(report).toMatchObject({ outcome: 'fail', phase: 'clean-failed', residue: [] });
    expect(report.failure).toMatchObject({ code: 'AGENT_LOST', faultDomain: 'deploy-agent' });
    expect(await ranItsDisk(node)).toBe(true);
    expect(await fired(node)).toEqual(['eraseFailsReboots']);
    await neverAvailable(node);
    // And when the disks are erased, anyone may have it.
    expect(await verb('clean', node)).toMatchObject({ outcome: 'pass', phase: 'available' });
    expect((await server(node)).disks.flatMap(({ canaries }) => canaries)).toEqual([]);
    played('life-57: the erase fails, and the machine restarts into its old system');
  });

  it('life-57: the firmware boots the old system instead of the agent', async () => {
    const node = 'node-002';
    await product.json('node', 'enroll', node);
    await faults(node, { bootsDiskInstead: true });
    const report = await verb('clean', node, '--on-failure', 'fail');
    expect(report).toMatchObject({ outcome: 'fail', phase: 'clean-failed', residue: [] });
    expect(report.failure).toMatchObject({ code: 'AGENT_SILENT', faultDomain: 'deploy-agent' });
    expect(await fired(node)).toContain('bootsDiskInstead');
    expect(await ranItsDisk(node)).toBe(true);
    await neverAvailable(node);
    played('life-57: the firmware boots the old system instead of the agent');
  });

  it('life-57: somebody switches the node on while it is held', async () => {
    const node = 'node-003';
    await product.json('node', 'enroll', node);
    await faults(node, { eraseFails: 1 });
    const held = await product.cli('node', 'clean', node, '--json');
    expect(held.code).toBe(4);
    expect((await server(node)).power).toBe('Off');
    await switchOn(node);
    await until('the old system', async () => ((await ranItsDisk(node)) ? true : undefined));
    const { operation } = await product.json<{ operation: { requestId: string } }>('node', 'show', node);
    const { stdout } = await product.cli(
      'op',
      'abort',
      operation.requestId,
      '--node',
      node,
      '--reason',
      'it broke',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'aborted', phase: 'clean-failed', residue: [] });
    await neverAvailable(node);
    played('life-57: somebody switches the node on while it is held');
  });

  it('life-60: the agent asks before its ports are known', async () => {
    const node = 'node-004';
    await product.json('node', 'enroll', node);
    await faults(node, { agentPortsLate: 3 });
    expect(await verb('clean', node)).toMatchObject({ outcome: 'pass', phase: 'available' });
    const events = await log(node);
    // Without a MAC, and with one that nobody knows, it is told to ask again; one port that is known will do.
    const refused = events.filter(({ event }) => event === 'agent-lookup-failed');
    expect(refused.map(({ status }) => status)).toEqual([503, 503]);
    expect(events.filter(({ event }) => event === 'agent-looked-up')).toHaveLength(1);
    expect((await fired(node)).length).toBeGreaterThan(0);
    const { power, override, media } = await server(node);
    expect([power, override.enabled]).toEqual(['Off', 'Disabled']);
    expect(Object.values(media).some((slot) => slot.inserted)).toBe(false);
    played('life-60: the agent asks before its ports are known');
  });
});

/** As a person would, past the product. */
async function switchOn(node: string): Promise<void> {
  const { withBmc } = await import('../../activities/redfish/transport.ts');
  const { readFileSync } = await import('node:fs');
  const { credentials, tls } = lab.contract.bmc as unknown as {
    credentials: { username: string; password: string };
    tls: { ca: string };
  };
  const endpoint = {
    address: lab.contract.nodes.find(({ name }) => name === node)!.bmc!.address,
    credentials: {
      username: credentials.username,
      password: readFileSync(credentials.password.replace(/^file:/, ''), 'utf8').trim(),
    },
    tls: { ca: readFileSync(tls.ca, 'utf8') },
    auth: 'basic' as const,
  };
  const path = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';
  const { status } = await withBmc(endpoint, (bmc) => bmc.send('POST', path, { body: { ResetType: 'On' } }));
  expect(status).toBeLessThan(300);
}

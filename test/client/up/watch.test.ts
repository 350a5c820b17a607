import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { closeAllBmcs, withBmc } from '../../../activities/redfish/transport.ts';
import { freePorts } from '../../../client/up/ports.ts';
import { startLab, type RunningLab } from '../../../lab/lab.ts';
import { cli, startCli, temporaryFolder } from '../../support/cli.ts';
import { until } from '../../workflows/support.ts';

const NODE = 'node-001';
const OTHER = 'node-002';
const folder = temporaryFolder();
const data = join(folder.path, 'data');
const labDir = join(folder.path, 'lab');

let lab: RunningLab;
let system: ChildProcess;
/** The same contract as the lab's own, but for the interval. */
let contract: {
  bmc: object;
  images: { name: string }[];
  nodes: { name: string; bmc: { address: string } }[];
};

beforeAll(async () => {
  const [port] = await freePorts(1);
  lab = await startLab({ dataDir: labDir, servers: 2, speed: 50, gatewayUrl: `http://127.0.0.1:${port}` });
  contract = parse(readFileSync(lab.inventory, 'utf8')) as typeof contract;
  const inventory = join(labDir, 'watched.yaml');
  writeFileSync(inventory, stringify({ ...contract, bmc: { ...contract.bmc, watch: { interval: '1s' } } }));
  const ports = ['--temporal-port', '0', '--ui-port', '0', '--gateway-port', String(port)];
  system = startCli(['up', '--inventory', inventory, '--data-dir', data, ...ports]);
  await new Promise<void>((resolve, reject) => {
    system.stdout!.once('data', () => resolve());
    system.once('exit', (code) => reject(new Error(`up ended with ${code}`)));
  });
});
afterAll(async () => {
  const exited = new Promise((resolve) => system.once('exit', resolve));
  system.kill('SIGINT');
  await exited;
  await closeAllBmcs();
  await lab.close();
  folder[Symbol.dispose]();
});

const rackwright = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await cli([...args, '--data-dir', data]);
  if (code !== 0) throw new Error(`rackwright ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
};
const shown = async (): Promise<Record<string, unknown>> =>
  JSON.parse(await rackwright('node', 'show', NODE, '--json')) as Record<string, unknown>;

/** A client of the BMC that is not Rackwright. */
async function switchOn(node: string): Promise<void> {
  const { address } = contract.nodes.find(({ name }) => name === node)!.bmc;
  const password = readFileSync(join(labDir, 'secrets', 'bmc-password'), 'utf8');
  const tls = { ca: readFileSync(join(labDir, 'ca.pem'), 'utf8') };
  const endpoint = { address, credentials: { username: 'admin', password }, tls };
  await withBmc(endpoint, async (bmc) => {
    const reset = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';
    const { status } = await bmc.send('POST', reset, { body: { ResetType: 'On' } });
    expect(status).toBeLessThan(300);
  });
}

test('power that another client of the BMC changed is noticed, named, and answered for by the next operation', async () => {
  await rackwright('node', 'enroll', NODE);
  await rackwright('node', 'power', NODE, 'off');
  expect(await rackwright('node', 'show', NODE)).not.toContain('someone else');

  await switchOn(NODE);
  await until(async () => (await shown())['power'] === 'on', { seconds: 120, what: 'the watch to see it' });
  expect(await shown()).toMatchObject({
    powerChange: { from: 'off', to: 'on', by: 'outside' },
    operation: null,
  });
  expect(await rackwright('node', 'show', NODE)).toMatch(
    /^ {2}power changed by someone else: off to on, seen \d{4}-\d\d-\d\dT/m,
  );
  expect(await rackwright('node', 'history', NODE)).toMatch(
    /Seen to change, by no operation:\n.*\n\d{4}\S+ +power +off +on\n/,
  );
  // Lists come from visibility, which is a moment behind.
  const line = `${NODE}: power changed by someone else: off to on`;
  await until(async () => (await rackwright('status')).includes(line), { what: 'it in the status' });

  await rackwright('node', 'power', NODE, 'off');
  expect(await shown()).toMatchObject({ power: 'off', powerChange: null });
  expect(await rackwright('node', 'show', NODE)).not.toContain('someone else');
  await until(async () => !(await rackwright('status')).includes('someone else'), { what: 'the status' });
}, 300_000);

test('what operations do to the power is never taken for somebody else’s doing', async () => {
  const [image] = contract.images;
  await rackwright('node', 'enroll', OTHER);
  await rackwright('node', 'clean', OTHER);
  await rackwright('node', 'deploy', OTHER, '--image', image!.name, '--owner', 'team-a');
  await rackwright('node', 'power', OTHER, 'reboot');
  await rackwright('node', 'release', OTHER);
  const { operations, changes } = JSON.parse(await rackwright('node', 'history', OTHER, '--json')) as {
    operations: object[];
    changes: { what: string }[];
  };
  expect(operations).toHaveLength(5);
  expect(changes.filter(({ what }) => what === 'power')).toEqual([]);
}, 300_000);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { loadInventory } from '../../activities/inventory/load.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import { call } from '../lab/clients.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from './gate-bench.ts';
import { SITE } from './support.ts';

const HOST_GATE = GATE_CHECKS.filter(({ check: { gate } }) => gate === 1);
const shown = shownFailing('the lab', [
  'management-access',
  'host-identity',
  'time-in-sync',
  'name-resolution',
  'interfaces',
  'disks',
  'routes',
  'bmc-access',
]);
let dir: string;
let lab: RunningLab;
let inventory: Inventory;
let bench: GateBench;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rackwright-host-gate-'));
  lab = await startLab({ dataDir: dir, servers: 1, controlPlane: true });
  const loaded = await loadInventory(lab.inventory);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  inventory = { ...loaded.inventory, site: SITE };
  bench = await GateBench.build(1, HOST_GATE);
});
afterAll(async () => {
  await bench?.close();
  await lab?.close();
  rmSync(dir, { recursive: true, force: true });
});

const put = (of: string, switches: object) => call('PUT', `${lab.controlUrl}/${of}/faults`, switches);
const clear = (of: string) => call('DELETE', `${lab.controlUrl}/${of}/faults`);

it('passes where nothing is wrong, and skips nothing', async () => {
  const report = await bench.run(inventory);
  expect(bench.checksOf(report).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
    HOST_GATE.map(({ check: { id } }) => `${id} pass`),
  );
});

it.each<[fault: string, check: string, domain: string, message: RegExp]>([
  ['sudoPassword', 'management-access', 'control-host', /a password is required/],
  ['hostnameOther', 'host-identity', 'control-host', /localhost\.localdomain/],
  ['machineCopied', 'host-identity', 'control-host', /one machine-id/],
  ['timeUnsynced', 'time-in-sync', 'control-host', /not synchronised to any source/],
  ['nameMissing', 'name-resolution', 'control-host', /does not find the name controller-1/],
  ['nameResolvesElsewhere', 'name-resolution', 'control-host', /at 127\.0\.0\.99/],
  ['interfaceRenamed', 'interfaces', 'control-host', /is called eth0/],
  ['linkDown', 'interfaces', 'control-host', /enp2s0 has no carrier/],
  ['diskMissing', 'disks', 'storage', /There is no \/dev\/disk/],
  ['diskForeign', 'disks', 'storage', /has xfs/],
  ['routeBlocked', 'routes', 'management-network', /controller-1 .* no route to it/],
])('%s stops a run at gate 1, and resume goes on when it is mended', async (fault, id, domain, message) => {
  await bench.failing(inventory, {
    fault: () => put('services/hosts', { [fault]: true }),
    mend: () => clear('services/hosts'),
    id,
    expected: { domain, message },
  });
  shown(id);
});

it('a BMC that is refused stops it too', async () => {
  // Both the certificate and the account are the contract's.
  const wrong = {
    ...inventory,
    bmc: { ...inventory.bmc, credentials: { username: 'admin', password: `file:${join(dir, 'lab.json')}` } },
  };
  const held = await bench.run(wrong as Inventory);
  expect(
    bench
      .checksOf(held)
      .filter(({ outcome }) => outcome !== 'pass')
      .map(({ id, outcome }) => `${id} ${outcome}`),
  ).toEqual(['bmc-access fail']);
  expect(held.failure).toMatchObject({ code: 'BMC_AUTH_FAILED' });
  shown('bmc-access');
  await bench.abort(held);
});

it.each([
  ['sshDown', 'SSH_REFUSED'],
  ['sshKeyRefused', 'SSH_AUTH_FAILED'],
])('%s fails the login, and leaves open what cannot be asked', async (fault, code) => {
  await put('services/hosts', { [fault]: true });
  const held = await bench.run(inventory);
  const outcomes = Object.fromEntries(bench.checksOf(held).map(({ id, outcome }) => [id, outcome]));
  expect(outcomes).toEqual({
    ...Object.fromEntries(HOST_GATE.map(({ check: { id } }) => [id, 'error'])),
    'management-access': 'fail',
    'bmc-access': 'pass',
  });
  const login = bench.checksOf(held).find(({ id }) => id === 'management-access')!;
  expect(login.findings).toMatchObject([{ target: 'controller-3', failure: { code } }]);
  await clear('services/hosts');
  expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
});

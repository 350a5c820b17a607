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

// Gate 6 on the lab's contract, from the hosts of those who come to its cloud.

const shown = shownFailing('the lab', [
  'guest-to-network',
  'operator-to-api',
  'operator-to-console',
  'user-to-api',
  'user-to-guest',
  'user-to-workload',
]);
let dir: string;
let lab: RunningLab;
let inventory: Inventory;
let bench: GateBench;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rackwright-access-gate-'));
  lab = await startLab({ dataDir: dir, servers: 1, openstack: true });
  const loaded = await loadInventory(lab.inventory);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  inventory = { ...loaded.inventory, site: SITE };
  bench = await GateBench.build(
    6,
    GATE_CHECKS.filter(({ check: { gate } }) => gate === 6),
  );
});
afterAll(async () => {
  await bench?.close();
  await lab?.close();
  rmSync(dir, { recursive: true, force: true });
});

it('passes from where operators, users and guests are, and says of each where that is', async () => {
  const checks = bench.checksOf(await bench.run(inventory));
  expect(checks.map(({ id, outcome, summary }) => `${id} ${outcome}: ${summary}`)).toEqual([
    'conductor-to-bmc pass: 1 reached from the worker',
    expect.stringMatching(/^bmc-to-publisher skipped: /),
    expect.stringMatching(/^agent-to-call-backs skipped: /),
    expect.stringMatching(/^agent-to-image-source skipped: /),
    'guest-to-network pass: 1 reached from vantage point tenant-guest',
    'operator-to-api pass: 8 reached from vantage point operator-desk',
    'operator-to-console pass: 1 reached from vantage point operator-desk',
    'user-to-api pass: 5 reached from vantage point user-desk',
    'user-to-guest pass: 1 reached from vantage point user-desk',
    'user-to-workload pass: 1 reached from vantage point user-desk',
    expect.stringMatching(/^probe-media-ejected skipped: /),
  ]);
});

it.each<[service: string, fault: string, check: string, domain: string, message: RegExp]>([
  [
    'access',
    'operatorCutOff',
    'operator-to-api',
    'user-access',
    /operator-desk does not reach the Kubernetes API/,
  ],
  [
    'access',
    'userCutOff',
    'user-to-api',
    'user-access',
    /user-desk does not reach Keystone .*: it has no route/,
  ],
  [
    'access',
    'guestCutOff',
    'guest-to-network',
    'tenant-network',
    /tenant-guest does not reach what guests reach/,
  ],
  ['access', 'guestClosed', 'user-to-guest', 'first-boot', /a guest \(127\.64\.128\.2:\d+\) refuses/],
  ['access', 'workloadDown', 'user-to-workload', 'first-boot', /a workload .* refuses .* user-desk/],
  ['nova', 'consoleProxyDown', 'operator-to-console', 'console', /a console .* refuses .* operator-desk/],
])(
  '%s %s stops a run at gate 6, and resume goes on when it is mended',
  async (service, fault, id, domain, message) => {
    const at = `${lab.controlUrl}/services/${service}/faults`;
    await bench.failing(inventory, {
      fault: () => call('PUT', at, { [fault]: true }),
      mend: () => call('DELETE', at),
      id,
      expected: { domain, message },
    });
    shown(id);
  },
);

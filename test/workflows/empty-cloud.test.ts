import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { loadInventory } from '../../activities/inventory/load.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { acceptanceWorkflowId } from '../../core/names.ts';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import { secretsOf } from '../activities/gates/kubernetes/support.ts';
import { call } from '../lab/clients.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, SITE } from './support.ts';

// A site on the day that its control plane came up: no server, no node in Ironic, no image, and a contract of none.

let dir: string;
let lab: RunningLab;
let house: House;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rackwright-empty-cloud-'));
  [lab, house] = await Promise.all([
    startLab({ dataDir: dir, servers: 0, speed: 50, openstack: true }),
    createLocalEnvironment().then((environment) => House.build(environment)),
  ]);
  const loaded = await loadInventory(lab.inventory);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  house.inventory = { ...loaded.inventory, site: SITE };
  house.site.secret = secretsOf(house.site);
  await house.stopWorkers('activities');
  house.checks = GATE_CHECKS;
  await house.startActivities();
});
afterAll(async () => {
  await house?.close();
  await house?.environment.teardown();
  await lab?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What has nothing to look at, and what is missing for it. */
const SKIPPED: readonly (readonly [why: RegExp, checks: string])[] = [
  [
    /^the contract has (no controller and )?no node( with a BMC)?$/,
    'bmc-access conductor-to-bmc node-available server-requested agent-called-back image-written first-boot guest-reached server-active console states-captured server-released',
  ],
  [/^no node is dedicated/, 'bmc-to-publisher agent-to-call-backs agent-to-image-source probe-media-ejected'],
  [/^the contract names no node of Ironic$/, 'node-validate node-conductor'],
  [/^the contract names no deploy images .*, and no node of Ironic$/, 'deploy-images'],
  [/^the contract names no provisioning network .*, and no node$/, 'provisioning-network'],
  [/^the contract says not where BMCs fetch boot images/, 'boot-images-published'],
  [/^the contract has no deploy media$/, 'deploy-media'],
  [/^the contract has no images$/, 'image-format image-digests'],
  [/^no image of the contract lies in Glance/, 'glance-images'],
  [/^the contract names no place that stands for a guest/, 'guest-to-network'],
  [/^the contract names no /, 'user-to-guest user-to-workload'],
];

async function accept(): Promise<AcceptanceReport> {
  const runs = new AcceptanceRuns(house.environment.client, SITE);
  const { runId } = await runs.start({ onFailure: 'fail' });
  const handle = house.client.getHandle(acceptanceWorkflowId(SITE, runId));
  return (await handle.result()) as AcceptanceReport;
}

it('passes every gate that needs nothing in it, and is told what was skipped and why', async () => {
  expect([house.inventory.nodes, house.inventory.images]).toEqual([[], []]);
  const { outcome, gates } = await accept();
  const why = new Map(SKIPPED.flatMap(([said, ids]) => ids.split(' ').map((id) => [id, said] as const)));
  expect(
    gates.flatMap(({ checks }) => checks).map(({ id, outcome: told, summary }) => [id, told, summary]),
  ).toEqual(
    GATE_CHECKS.map(({ check: { id } }) => [
      id,
      why.has(id) ? 'skipped' : 'pass',
      why.has(id) ? expect.stringMatching(why.get(id)!) : expect.stringMatching(/./),
    ]),
  );
  expect(gates.map((gate) => gate.outcome).join(' ')).toBe('pass pass pass pass pass pass skipped');
  expect(outcome).toBe('pass');
});

it('is stopped by what is wrong with it, as any other', async () => {
  await call('PUT', `${lab.controlUrl}/services/ironic/faults`, { conductorDown: true });
  const report = await accept();
  expect(report).toMatchObject({ outcome: 'fail', stoppedAt: 4, failure: { faultDomain: 'ironic' } });
});

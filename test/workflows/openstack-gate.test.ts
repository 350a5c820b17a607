import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { CloudService } from '../../lab/openstack/switches.ts';
import { aCluster, contractWith } from '../activities/gates/kubernetes/support.ts';
import { startBench, type Bench } from '../lab/openstack-bench.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from './gate-bench.ts';

const GATE = GATE_CHECKS.filter(({ check: { gate } }) => gate === 3);
const shown = shownFailing('the lab', [
  'openstack-endpoints',
  'compute-services',
  'network-agents',
  'queue-clients',
  'migrations',
  'image-round-trip',
  'placement-inventory',
]);
let cloud: Bench;
let kubernetes: Awaited<ReturnType<typeof aCluster>>;
let bench: GateBench;
let inventory: Inventory;

beforeAll(async () => {
  [cloud, kubernetes] = await Promise.all([startBench(), aCluster()]);
  bench = await GateBench.build(3, GATE);
  inventory = contractWith({ ...kubernetes.cluster.contract(), ...cloud.contract(true) });
});
afterEach(() => {
  for (const faults of cloud.cloud.faults.values()) faults.clear();
  kubernetes.cluster.faults.clear();
});
afterAll(async () => {
  await bench?.close();
  await cloud?.stop();
  await kubernetes?.close();
});

const mend = (service: CloudService): void => cloud.cloud.faults.get(service)!.clear();

it.each<[CloudService, fault: string, check: string, message: RegExp]>([
  [
    'keystone',
    'ironicEndpointWrong',
    'openstack-endpoints',
    /Nothing listens at the endpoint https:\/\/127.0.0.1:1/,
  ],
  ['nova', 'computeDown', 'compute-services', /nova-compute on compute-1 is down: it reported last at/],
  ['nova', 'computeDisabled', 'compute-services', /nova-compute on compute-1 is disabled \(maintenance\)/],
  ['nova', 'conductorDown', 'compute-services', /nova-conductor on controller-3 is down/],
  ['nova', 'schedulerDown', 'compute-services', /nova-scheduler on controller-3 is down/],
  [
    'nova',
    'ironicComputeMissing',
    'compute-services',
    /no nova-compute on controller-1-ironic; there is: compute-1/,
  ],
  [
    'nova',
    'serviceFlapping',
    'queue-clients',
    /nova-compute on compute-1 is called up, and has not reported/,
  ],
  ['neutron', 'agentDown', 'network-agents', /neutron-openvswitch-agent on compute-1 is not alive/],
  ['neutron', 'agentMissing', 'network-agents', /no neutron-openvswitch-agent on compute-1; there is/],
  ['neutron', 'agentOther', 'network-agents', /no neutron-openvswitch-agent on compute-1; there is none/],
  ['glance', 'imageCorrupt', 'image-round-trip', /other bytes than it was given, from byte/],
  ['glance', 'imageChecksumOther', 'image-round-trip', /is that of other bytes/],
  ['glance', 'imageNotActive', 'image-round-trip', /the image is queued, not active/],
  ['glance', 'storeFull', 'image-round-trip', /not enough disk space on the image storage media/],
  [
    'placement',
    'providerMissing',
    'placement-inventory',
    /Placement has no provider for .*controller-1-ironic/,
  ],
])(
  '%s %s stops a run at gate 3, and resume goes on when it is mended',
  async (service, fault, id, message) => {
    await bench.failing(inventory, {
      fault: () => cloud.faults(service, { [fault]: true }),
      mend: () => mend(service),
      id,
      expected: { domain: 'openstack', message },
    });
    shown(id);
    const { images } = (await cloud.ask('GET', '/image/v2/images?tag=rackwright-acceptance')).body;
    expect(images).toEqual([]);
  },
);

it('a migration that is left stops it, and resume goes on when it is done', async () => {
  await bench.failing(inventory, {
    fault: () => kubernetes.cluster.faults.set({ migrationPending: true }),
    mend: () => kubernetes.cluster.faults.clear(),
    id: 'migrations',
    expected: { domain: 'openstack', message: /Glance, asked in a pod .*: its database is to be expanded/ },
  });
  shown('migrations');
});

it.each<[CloudService, object, outcome: 'fail' | 'error', code: string]>([
  ['nova', { apiForbidden: true }, 'error', 'OPENSTACK_FORBIDDEN'],
  ['neutron', { apiDown: true }, 'error', 'OPENSTACK_UNREACHABLE'],
  ['keystone', { apiUnauthorized: true }, 'error', 'OPENSTACK_UNAUTHORIZED'],
])('%s with %j stops it as an error, which the correction mends', async (service, faults, outcome, code) => {
  cloud.faults(service, faults);
  const held = await bench.run(inventory);
  expect(held).toMatchObject({ held: true, stoppedAt: 3, failure: { code } });
  expect(bench.checksOf(held).map((each) => each.outcome)).not.toContain('fail');
  expect(bench.checksOf(held).map((each) => each.outcome)).toContain(outcome);
  mend(service);
  expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
});

it('a token that expires on the way is made anew, and a 503 that passes is asked again', async () => {
  // Once: the checks run side by side, and one that met it twice would be right to give up.
  cloud.faults('keystone', { tokenExpired: 1 });
  cloud.faults('glance', { apiUnavailable: 1 });
  expect(await bench.run(inventory)).toMatchObject({ outcome: 'pass' });
});

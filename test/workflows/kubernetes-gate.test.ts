import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCluster, KUBERNETES_GATE } from '../activities/gates/kubernetes/support.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from './gate-bench.ts';

const shown = shownFailing('the lab', [
  'kubernetes-api',
  'kubernetes-nodes',
  'kubernetes-pods',
  'kubernetes-workloads',
  'storage-classes',
  'claims-bound',
  'ceph-status',
]);
let lab: Awaited<ReturnType<typeof aCluster>>;
let bench: GateBench;

beforeAll(async () => {
  lab = await aCluster();
  bench = await GateBench.build(2, KUBERNETES_GATE);
});
afterAll(async () => {
  await bench.close();
  await lab.close();
});

it.each<[fault: string, check: string, domain: string, message: RegExp]>([
  ['apiNotReady', 'kubernetes-api', 'kubernetes', /etcd/],
  ['nodeNotReady', 'kubernetes-nodes', 'kubernetes', /controller-3 is not Ready/],
  ['podImageMissing', 'kubernetes-pods', 'image-supply', /ImagePullBackOff/],
  ['workloadShort', 'kubernetes-workloads', 'kubernetes', /1 of 2 replicas/],
  ['storageClassOther', 'storage-classes', 'storage', /provisioned by/],
  ['claimPending', 'claims-bound', 'storage', /glance-images is Pending/],
  ['cephOsdDown', 'ceph-status', 'storage', /OSD_DOWN/],
])('%s stops a run at gate 2, and resume goes on when it is mended', async (fault, id, domain, message) => {
  await bench.failing(lab.inventory, {
    fault: () => lab.cluster.faults.set({ [fault]: true }),
    mend: () => lab.cluster.faults.clear(),
    id,
    expected: { domain, message },
  });
  shown(id);
});

it('a token that has expired stops it as an error, which a new one mends', async () => {
  lab.cluster.faults.set({ apiUnauthorized: true });
  const held = await bench.run(lab.inventory);
  expect(held).toMatchObject({
    stoppedAt: 2,
    failure: { code: 'KUBERNETES_UNAUTHORIZED', faultDomain: 'contract' },
  });
  expect(bench.checksOf(held).map(({ outcome }) => outcome)).toEqual(KUBERNETES_GATE.map(() => 'error'));
  lab.cluster.faults.clear();
  expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
});

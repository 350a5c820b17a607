import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { aCluster } from '../activities/gates/kubernetes/support.ts';
import { aCloud, checksNamed } from '../activities/gates/openstack-cloud.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from './gate-bench.ts';

let cloud: Awaited<ReturnType<typeof aCloud>>;
let cluster: Awaited<ReturnType<typeof aCluster>>;
let bench: GateBench;
let inventory: Inventory;

const shown = shownFailing('the lab', ['glance-images', 'container-digests']);

beforeAll(async () => {
  [cloud, cluster] = await Promise.all([aCloud(), aCluster()]);
  inventory = { ...cloud.inventory, kubernetes: cluster.inventory.kubernetes };
  bench = await GateBench.build(5, checksNamed('glance-images', 'container-digests'));
});
const clear = (): void => {
  cloud.clear();
  cluster.cluster.faults.clear();
};
afterEach(clear);
afterAll(async () => {
  await bench.close();
  await cloud.close();
  await cluster.close();
});

it.each<[of: 'glance' | 'kubernetes', fault: string, check: string, domain: string, message: RegExp]>([
  ['glance', 'imageDeleted', 'glance-images', 'image-supply', /Glance has no image acceptance-image/],
  ['glance', 'imageNotActive', 'glance-images', 'image-supply', /is queued in Glance, and not active/],
  ['glance', 'imageCorrupt', 'glance-images', 'image-supply', /is recorded in the contract/],
  ['glance', 'imageChecksumOther', 'glance-images', 'storage', /says itself that they have/],
  [
    'kubernetes',
    'containerOther',
    'container-digests',
    'image-supply',
    /runs sha256:0{64} of registry.lab\/coredns/,
  ],
  ['kubernetes', 'containerTag', 'container-digests', 'image-supply', /but by a tag/],
])(
  '%s %s stops a run at gate 5, and resume goes on when it is mended',
  async (of, fault, id, domain, message) => {
    await bench.failing(inventory, {
      fault: () => (of === 'glance' ? cloud.on(of, fault) : cluster.cluster.faults.set({ [fault]: true })),
      mend: clear,
      id,
      expected: { domain, message },
    });
    shown(id);
  },
);

it('neither right nor wrong is said of what may not be read', async () => {
  cloud.on('glance', 'apiForbidden');
  cluster.cluster.faults.set({ apiForbidden: true });
  const held = await bench.run(inventory);
  expect(bench.checksOf(held).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
    'glance-images error',
    'container-digests error',
  ]);
  clear();
  expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
});

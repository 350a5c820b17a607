import { afterAll, beforeAll, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { contractWith } from '../activities/gates/kubernetes/support.ts';
import { startIronic, type IronicPeer } from '../peers/ironic.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from '../workflows/gate-bench.ts';

// Gate 4 on a real Ironic that stands alone, and was left in the middle of its upgrade.

/** The release of 2024.2, whose API ends at 1.93. */
const RELEASE = '26.1';
const shown = shownFailing('Ironic 39 on its own', ['ironic-api']);
let ironic: IronicPeer;
let bench: GateBench;

beforeAll(async () => {
  [ironic, bench] = await Promise.all([
    startIronic({ pinned: RELEASE }),
    GateBench.build(
      4,
      GATE_CHECKS.filter(({ check: { gate } }) => gate === 4),
    ),
  ]);
});
afterAll(async () => {
  await bench?.close();
  await ironic?.stop();
});

it('stops a run while it is pinned to what it was before, and resume goes on when it is not', async () => {
  const inventory = contractWith({
    openstack: { ironic: { url: ironic.url, auth: 'none', microversion: '1.95' } },
  });
  await bench.failing(inventory, {
    fault: () => undefined,
    mend: () => ironic.start(),
    id: 'ironic-api',
    untold: ['ironic-conductors'],
    expected: { domain: 'ironic', message: /version 1\.95 is not offered: the API has 1\.1 to 1\.93\.$/ },
  });
  shown('ironic-api');
});

it('passes in the version that it has, where the contract names none', async () => {
  await ironic.start({}, RELEASE);
  const passed = await bench.run(contractWith({ openstack: { ironic: { url: ironic.url, auth: 'none' } } }));
  expect(passed).toMatchObject({ outcome: 'pass' });
  expect(bench.checksOf(passed).find(({ id }) => id === 'ironic-api')).toMatchObject({
    summary: 'it answers, in version 1.93 of 1.1 to 1.93',
  });
});

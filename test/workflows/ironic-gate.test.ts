import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import type { CloudService } from '../../lab/openstack/switches.ts';
import { aCloud } from '../activities/gates/openstack-cloud.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from './gate-bench.ts';

const IRONIC_GATE = GATE_CHECKS.filter(({ check: { gate } }) => gate === 4);

let lab: Awaited<ReturnType<typeof aCloud>>;
let bench: GateBench;

const shown = shownFailing('the lab', [
  'ironic-api',
  'ironic-conductors',
  'ironic-compute',
  'ironic-drivers',
  'provisioning-network',
  'deploy-images',
  'boot-images-published',
  'node-validate',
  'node-conductor',
  'console-proxy',
]);

beforeAll(async () => {
  lab = await aCloud();
  bench = await GateBench.build(4, IRONIC_GATE);
});
afterEach(() => lab.clear());
afterAll(async () => {
  await bench.close();
  await lab.close();
});

it.each<[service: CloudService, fault: string, check: string, domain: string, message: RegExp]>([
  ['ironic', 'conductorDown', 'ironic-conductors', 'ironic', /controller-2 is not alive/],
  ['ironic', 'conductorMissing', 'ironic-conductors', 'ironic', /knows no conductor controller-2/],
  ['nova', 'ironicComputeDown', 'ironic-compute', 'openstack', /controller-1-ironic.* is down/],
  ['nova', 'ironicComputeMissing', 'ironic-compute', 'openstack', /no nova-compute on controller-1-ironic/],
  ['ironic', 'driverMissing', 'ironic-drivers', 'ironic', /No conductor has the hardware type redfish/],
  ['ironic', 'interfaceMissing', 'ironic-drivers', 'ironic', /no boot interface redfish-virtual-media/],
  ['neutron', 'networkDown', 'provisioning-network', 'provisioning-network', /is DOWN, and not ACTIVE/],
  ['neutron', 'networkDhcp', 'provisioning-network', 'provisioning-network', /gives addresses by DHCP/],
  ['glance', 'deployImageDeleted', 'deploy-images', 'image-supply', /no image deploy-ramdisk/],
  ['ironic', 'bootImageUnpublished', 'boot-images-published', 'media-publisher', /There is nothing at .*404/],
  ['ironic', 'validateFails', 'node-validate', 'bmc', /boot interface of node .*redfish_address/],
  ['ironic', 'lockLeft', 'node-conductor', 'ironic', /is locked by conductor controller-9/],
  ['ironic', 'consoleOff', 'console-proxy', 'console', /has console interface no-console/],
  ['ironic', 'consoleOpen', 'console-proxy', 'console', /User reader, who is to have no console, is shown/],
])(
  '%s %s stops a run at gate 4, and resume goes on when it is mended',
  async (service, fault, id, domain, message) => {
    await bench.failing(lab.inventory, {
      fault: () => lab.on(service, fault),
      mend: () => lab.clear(),
      id,
      expected: { domain, message },
    });
    shown(id);
  },
);

it('an Ironic that is too old stops a run at gate 4, and resume goes on when it is mended', async () => {
  await bench.failing(lab.inventory, {
    fault: () => lab.on('ironic', 'apiOld'),
    mend: () => lab.clear(),
    id: 'ironic-api',
    // Nothing of it can be asked: its answers would be of another API.
    untold: IRONIC_GATE.map(({ check }) => check.id).filter(
      (id) => id !== 'ironic-api' && id !== 'boot-images-published',
    ),
    expected: {
      domain: 'ironic',
      message: /version 1\.58 is not offered: the API has 1\.1 to 1\.56\.$/,
    },
  });
  shown('ironic-api');
});

it.each<[service: CloudService, fault: string, code: string]>([
  ['ironic', 'apiForbidden', 'OPENSTACK_FORBIDDEN'],
  ['ironic', 'apiUnauthorized', 'OPENSTACK_UNAUTHORIZED'],
])('%s %s is an error of every check that asks it, and a pass of none', async (service, fault, code) => {
  lab.on(service, fault);
  const held = await bench.run(lab.inventory);
  expect(held).toMatchObject({ stoppedAt: 4, failure: { code } });
  for (const { id, outcome } of bench.checksOf(held))
    expect(`${id} ${outcome}`).toBe(`${id} ${id === 'boot-images-published' ? 'pass' : 'error'}`);
  lab.clear();
  expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
});

import type { Machine } from './cloud.ts';
import { newNode, newNodePort } from './ironic/nodes.ts';
import { INTERFACES } from './ironic/node-view.ts';
import { defaultGroup, network, subnet } from './neutron/networks.ts';
import { flavor } from './nova/flavors.ts';
import { uuidOf, type CloudState } from './state.ts';

/** The resource class of the lab's servers, as Ironic and as Placement have it. */
const CLASS = 'lab-gpu-8';
const RESOURCE = 'CUSTOM_LAB_GPU_8';

/** A cloud as it was set up: its machine is in Ironic, and free. One without a machine has nothing in it yet. */
export const newCloud = (machine?: Machine): CloudState =>
  machine === undefined ? empty() : { ...empty(), ...contentOf(machine) };

const empty = (): CloudState => ({
  faults: {},
  startedAt: new Date().toISOString(),
  tokens: {},
  images: [],
  flavors: [],
  keypairs: [],
  servers: [],
  networks: [],
  subnets: [],
  ports: [],
  securityGroups: [defaultGroup()],
  nodes: [],
  nodePorts: [],
  allocations: [],
  due: [],
  imagesMade: false,
});

function contentOf(machine: Machine): Partial<CloudState> {
  const provisioning = network('provisioning', {
    'provider:network_type': 'flat',
    'provider:physical_network': 'physnet1',
  });
  const tenant = network('tenant', {
    'provider:network_type': 'vlan',
    'provider:physical_network': 'physnet1',
    'provider:segmentation_id': 100,
  });
  const { uuid, name } = machine;
  const node = newNode(name, uuid, {
    resource_class: CLASS,
    driver_info: {
      redfish_address: machine.bmc,
      redfish_system_id: '/redfish/v1/Systems/1',
      redfish_username: 'admin',
      redfish_password: '******',
      deploy_kernel: uuidOf('image/deploy-kernel'),
      deploy_ramdisk: uuidOf('image/deploy-ramdisk'),
    },
    properties: {
      cpus: 128,
      memory_mb: 1_048_576,
      local_gb: 931,
      cpu_arch: 'x86_64',
      capabilities: 'boot_mode:uefi',
    },
    traits: ['CUSTOM_GPU'],
    ...Object.fromEntries(Object.entries(INTERFACES).map(([kind, value]) => [`${kind}_interface`, value])),
  });
  return {
    flavors: [
      flavor(uuidOf('flavor/m1.tiny'), 'm1.tiny', { ram: 512, vcpus: 1, disk: 1 }),
      flavor(
        uuidOf('flavor/bm.gpu'),
        'bm.gpu',
        { ram: 1024, vcpus: 1, disk: 10 },
        {
          [`resources:${RESOURCE}`]: '1',
          'resources:VCPU': '0',
          'resources:MEMORY_MB': '0',
          'resources:DISK_GB': '0',
        },
      ),
    ],
    networks: [provisioning, tenant],
    subnets: [
      subnet(provisioning, '127.66.0.0/24', ['127.66.0.10', '127.66.0.250']),
      subnet(tenant, '127.64.0.0/16', ['127.64.128.10', '127.64.255.250']),
    ],
    nodes: [node],
    nodePorts: machine.nics.map(({ mac }, i) =>
      newNodePort(uuid, mac, { name: `${name}-${i}`, pxe_enabled: i === 0 }),
    ),
  };
}

import { createHash } from 'node:crypto';
import { until, type Json, type Session } from './api.ts';
import * as s from './site.ts';

/** What the cloud holds when it is up: an image, nodes, and where it has Nova flavors and a network. */

export const NODES = ['bm-1', 'bm-2'] as const;
export const RESOURCE_CLASS = 'BM.SMALL';
export const IMAGE = 'peer-image';
export const NETWORK = 'provider';
/** The bytes of the image: not all the same, so that a part that is lost or doubled is seen. */
export const IMAGE_BYTES = Buffer.concat(
  Array.from({ length: 4096 }, (_, i) => createHash('sha512').update(`rackwright ${i}`).digest()),
);

export async function uploadImage(who: Session, name: string, bytes: Buffer): Promise<string> {
  const described = { name, disk_format: 'raw', container_format: 'bare', visibility: 'public' };
  const { id } = (await who.call('POST', 'glance', '/v2/images', described)) as Json;
  await who.call('PUT', 'glance', `/v2/images/${id}/file`, bytes);
  await until('the image', async () => {
    const { status } = (await who.call('GET', 'glance', `/v2/images/${id}`)) as Json;
    return status === 'active';
  });
  return id;
}

/** A node of fake hardware that Nova, or whoever asks, can have. */
export async function enrollNode(system: Session, name: string): Promise<string> {
  const { uuid } = (await system.call('POST', 'ironic', '/v1/nodes', {
    name,
    driver: 'fake-hardware',
    resource_class: RESOURCE_CLASS,
    properties: { cpus: 8, memory_mb: 16384, local_gb: 100, cpu_arch: 'x86_64' },
  })) as Json;
  const node = () => system.call('GET', 'ironic', `/v1/nodes/${uuid}`) as Promise<Json>;
  const provision = async (target: string, state: string): Promise<void> => {
    await system.call('PUT', 'ironic', `/v1/nodes/${uuid}/states/provision`, { target });
    await until(`${name} ${state}`, async () => (await node()).provision_state === state);
  };
  await provision('manage', 'manageable');
  await system.call('PUT', 'ironic', `/v1/nodes/${uuid}/states/power`, { target: 'power off' });
  await until(`${name} off`, async () => {
    const { power_state: power, target_power_state: target } = await node();
    return power === 'power off' && target === null;
  });
  await provision('provide', 'available');
  return uuid;
}

/** What a server of the flavor takes of Placement is nothing but one node of the class. */
const BARE_METAL = {
  'resources:CUSTOM_BM_SMALL': '1',
  'resources:VCPU': '0',
  'resources:MEMORY_MB': '0',
  'resources:DISK_GB': '0',
};

export async function makeFlavors(admin: Session): Promise<void> {
  const flavor = async (name: string, size: object): Promise<string> => {
    const made = await admin.call('POST', 'nova', '/flavors', { flavor: { name, ...size } });
    return (made as Json).flavor.id;
  };
  await flavor('m1.small', { ram: 512, vcpus: 1, disk: 1 });
  const id = await flavor('bm-small', { ram: 16384, vcpus: 8, disk: 100 });
  await admin.call('POST', 'nova', `/flavors/${id}/os-extra_specs`, { extra_specs: BARE_METAL });
}

export async function makeNetwork(admin: Session): Promise<void> {
  const { network } = (await admin.call('POST', 'neutron', '/v2.0/networks', {
    network: {
      name: NETWORK,
      shared: true,
      'provider:network_type': 'flat',
      'provider:physical_network': s.PHYSICAL_NETWORK,
    },
  })) as Json;
  await admin.call('POST', 'neutron', '/v2.0/subnets', {
    subnet: {
      network_id: network.id,
      name: `${NETWORK}-v4`,
      ip_version: 4,
      cidr: '198.18.0.0/24',
      enable_dhcp: false,
    },
  });
}

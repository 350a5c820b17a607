import { createHash } from 'node:crypto';
import type { Cloud } from '../cloud.ts';
import { PROJECT_ID } from '../keystone/service.ts';
import type { CloudServer, Wire } from '../state.ts';
import { since } from '../versions.ts';

export const links = (cloud: Cloud, id: string): Wire[] => [
  { rel: 'self', href: `${cloud.url()}/compute/v2.1/servers/${id}` },
  { rel: 'bookmark', href: `${cloud.url()}/compute/servers/${id}` },
];

const VM_STATES = { BUILD: 'building', ACTIVE: 'active', SHUTOFF: 'stopped', ERROR: 'error' } as const;

/** A server as its user sees it, and, where it is an administrator who looks, where it lies. */
export function serverView(cloud: Cloud, server: CloudServer, version: string, isAdmin: boolean): Wire {
  const { id, name, status } = server;
  const image = server.image === null ? '' : server.image;
  return {
    id,
    name,
    status,
    tenant_id: PROJECT_ID,
    user_id: 'user-rackwright',
    metadata: server.metadata,
    hostId:
      server.host === null
        ? ''
        : createHash('sha224')
            .update(PROJECT_ID + server.host)
            .digest('hex'),
    image:
      image === ''
        ? ''
        : { id: image, links: [{ rel: 'bookmark', href: `${cloud.url()}/compute/images/${image}` }] },
    flavor: flavorOf(cloud, server, version),
    created: server.createdAt,
    updated: server.updatedAt,
    addresses: addressesOf(cloud, server),
    accessIPv4: '',
    accessIPv6: '',
    links: links(cloud, id),
    'OS-DCF:diskConfig': 'MANUAL',
    ...(status === 'BUILD' || status === 'ACTIVE' ? { progress: 0 } : {}),
    ...(status === 'ERROR' && server.fault !== null ? { fault: server.fault } : {}),
    'OS-EXT-AZ:availability_zone': server.host === null ? '' : server.zone,
    config_drive: server.configDrive ? 'True' : '',
    key_name: server.keyName,
    'OS-SRV-USG:launched_at': server.launchedAt,
    'OS-SRV-USG:terminated_at': null,
    'OS-EXT-STS:task_state': server.task,
    'OS-EXT-STS:vm_state': VM_STATES[status],
    'OS-EXT-STS:power_state': server.power,
    'os-extended-volumes:volumes_attached': [],
    ...(status === 'BUILD' && server.host === null
      ? {}
      : { security_groups: server.securityGroups.map((group) => ({ name: group })) }),
    ...(isAdmin ? adminPart(server, version) : {}),
    ...(since(version, '2.9') ? { locked: false } : {}),
    ...(since(version, '2.19') ? { description: null } : {}),
    ...(since(version, '2.26') ? { tags: [] } : {}),
    ...(since(version, '2.63') ? { trusted_image_certificates: null } : {}),
    ...(since(version, '2.71') ? { server_groups: [] } : {}),
    ...(since(version, '2.73') ? { locked_reason: null } : {}),
    ...(since(version, '2.96') ? { pinned_availability_zone: null } : {}),
    ...(since(version, '2.100') ? { scheduler_hints: {} } : {}),
  };
}

const adminPart = (server: CloudServer, version: string): Wire => ({
  'OS-EXT-SRV-ATTR:host': server.host,
  'OS-EXT-SRV-ATTR:hypervisor_hostname': server.hypervisor,
  'OS-EXT-SRV-ATTR:instance_name': `instance-${server.id.slice(0, 8)}`,
  ...(since(version, '2.3')
    ? {
        'OS-EXT-SRV-ATTR:hostname': server.name.toLowerCase(),
        'OS-EXT-SRV-ATTR:reservation_id': `r-${server.id.slice(0, 8)}`,
        'OS-EXT-SRV-ATTR:launch_index': 0,
        'OS-EXT-SRV-ATTR:kernel_id': '',
        'OS-EXT-SRV-ATTR:ramdisk_id': '',
        'OS-EXT-SRV-ATTR:root_device_name': server.host === null ? null : '/dev/vda',
        'OS-EXT-SRV-ATTR:user_data': server.userData,
      }
    : {}),
  ...(since(version, '2.16') ? { host_status: server.host === null ? '' : 'UP' } : {}),
});

function flavorOf(cloud: Cloud, { flavor: id }: CloudServer, version: string): Wire {
  const flavor = cloud.state.flavors.find((each) => each['id'] === id);
  if (!since(version, '2.47') || flavor === undefined)
    return { id, links: [{ rel: 'bookmark', href: `${cloud.url()}/compute/flavors/${id}` }] };
  const { ram, vcpus, disk, name, extra_specs } = flavor;
  return { vcpus, ram, disk, ephemeral: 0, swap: 0, original_name: name, extra_specs };
}

/** The addresses of a server's ports, by network. */
export function addressesOf(cloud: Cloud, { ports }: CloudServer): { [network: string]: Wire[] } {
  const found: { [network: string]: Wire[] } = {};
  for (const { id } of ports) {
    const port = cloud.state.ports.find((each) => each['id'] === id);
    if (port === undefined) continue;
    const network = cloud.state.networks.find((each) => each['id'] === port['network_id']);
    for (const { ip_address } of port['fixed_ips'] as { ip_address: string }[])
      (found[String(network?.['name'])] ??= []).push({
        version: 4,
        addr: ip_address,
        'OS-EXT-IPS:type': 'fixed',
        'OS-EXT-IPS-MAC:mac_addr': port['mac_address'],
      });
  }
  return found;
}

/** What was done to a server. */
export const actionView = (server: CloudServer, i: number): Wire => {
  const { request, action, start, finish, message } = server.actions[i]!;
  return {
    action,
    instance_uuid: server.id,
    request_id: request,
    user_id: 'user-rackwright',
    project_id: PROJECT_ID,
    start_time: start,
    message,
    updated_at: finish ?? start,
  };
};

/** The steps of what was done: the one that counts here. */
export const eventsOf = (server: CloudServer, i: number): Wire[] => {
  const { action, start, finish, message, traceback = null } = server.actions[i]!;
  return [
    {
      event: action === 'create' ? 'compute__do_build_and_run_instance' : `compute_${action}_instance`,
      start_time: start,
      finish_time: finish,
      result: finish === null ? null : message === null ? 'Success' : 'Error',
      traceback,
      host: server.host,
      hostId: '',
      details: message,
    },
  ];
};

import { randomInt } from 'node:crypto';
import { COMPUTES, type Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { PROJECT_ID } from '../keystone/service.ts';
import { newUuid, second, uuidOf, type Wire } from '../state.ts';

export const DEFAULT_GROUP = uuidOf('security-group/default');

export interface PortWanted {
  readonly network: string;
  readonly name?: string | undefined;
  readonly device?: string | undefined;
  readonly owner?: string | undefined;
  readonly host?: string | undefined;
  readonly vnic?: string | undefined;
  readonly mac?: string | undefined;
  readonly address?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** Makes a port on a network; it is bound where a host is named. */
export function makePort(cloud: Cloud, wanted: PortWanted): Wire {
  const { state } = cloud;
  const network = state.networks.find((each) => each['id'] === wanted.network);
  if (network === undefined)
    throw new ApiError(404, `Network ${wanted.network} could not be found.`, { type: 'NetworkNotFound' });
  const now = second();
  const port: Wire = {
    id: newUuid(),
    name: wanted.name ?? '',
    network_id: wanted.network,
    project_id: PROJECT_ID,
    tenant_id: PROJECT_ID,
    mac_address: wanted.mac ?? newMac(),
    admin_state_up: true,
    status: 'DOWN',
    device_id: wanted.device ?? '',
    device_owner: wanted.owner ?? '',
    fixed_ips: addresses(cloud, network, wanted.address),
    security_groups: wanted.groups ?? [DEFAULT_GROUP],
    port_security_enabled: true,
    allowed_address_pairs: [],
    extra_dhcp_opts: [],
    description: '',
    'binding:vnic_type': wanted.vnic ?? 'normal',
    'binding:host_id': '',
    'binding:vif_type': 'unbound',
    'binding:vif_details': {},
    'binding:profile': {},
    qos_policy_id: null,
    qos_network_policy_id: null,
    resource_request: null,
    ip_allocation: 'immediate',
    dns_name: '',
    dns_assignment: [],
    tags: [],
    created_at: now,
    updated_at: now,
    revision_number: 1,
  };
  if (wanted.host !== undefined && wanted.host !== '') bind(cloud, port, wanted.host);
  state.ports.push(port);
  cloud.save();
  return port;
}

/** Binds a port to a host, or to none; whether it succeeded. */
export function bind(cloud: Cloud, port: Wire, host: string): boolean {
  port['binding:host_id'] = host;
  changed(port);
  if (host === '') {
    Object.assign(port, { 'binding:vif_type': 'unbound', 'binding:vif_details': {}, status: 'DOWN' });
    return true;
  }
  const { neutron } = cloud.faults;
  const bare = port['binding:vnic_type'] === 'baremetal';
  const known = bare
    ? cloud.state.nodes.some(({ uuid }) => uuid === host)
    : (COMPUTES as readonly string[]).includes(host) && agentWorks(cloud, host);
  if (neutron.on('portBindingFailed') || !known) {
    Object.assign(port, { 'binding:vif_type': 'binding_failed', 'binding:vif_details': {}, status: 'DOWN' });
    return false;
  }
  const ovn = neutron.on('agentOther');
  Object.assign(port, {
    'binding:vif_type': bare ? 'other' : 'ovs',
    'binding:vif_details': bare
      ? { bound_drivers: { '0': 'baremetal' } }
      : {
          port_filter: true,
          connectivity: 'l2',
          bridge_name: 'br-int',
          datapath_type: 'system',
          bound_drivers: { '0': ovn ? 'ovn' : 'openvswitch' },
        },
    status: 'ACTIVE',
  });
  return true;
}

/** Without an agent that is alive, nothing is bound on a host. */
function agentWorks(cloud: Cloud, host: string): boolean {
  const { neutron } = cloud.faults;
  return host !== 'compute-1' || !(neutron.on('agentDown') || neutron.on('agentMissing'));
}

export function changed(port: Wire): void {
  port['updated_at'] = second();
  port['revision_number'] = Number(port['revision_number']) + 1;
}

export function removePort(cloud: Cloud, id: string): void {
  cloud.state.ports = cloud.state.ports.filter((port) => port['id'] !== id);
  cloud.save();
}

const newMac = (): string =>
  `fa:16:3e:${[0, 0, 0].map(() => randomInt(256).toString(16).padStart(2, '0')).join(':')}`;

const number = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** The address that was wanted, or the first free one of the network's pool. */
function addresses(cloud: Cloud, network: Wire, wanted: string | undefined): Wire[] {
  const subnet = cloud.state.subnets.find((each) => each['network_id'] === network['id']);
  if (subnet === undefined) return [];
  const taken = new Set(
    cloud.state.ports.flatMap((port) =>
      (port['fixed_ips'] as { ip_address: string }[]).map(({ ip_address }) => ip_address),
    ),
  );
  const [cidr = '', bits] = String(subnet['cidr']).split('/');
  const size = 2 ** (32 - Number(bits));
  if (wanted !== undefined) {
    const inside = Math.floor(number(wanted) / size) === Math.floor(number(cidr) / size);
    if (!inside)
      throw new ApiError(400, `IP address ${wanted} is not a valid IP for the specified subnet.`, {
        type: 'InvalidIpForSubnet',
      });
    if (taken.has(wanted))
      throw new ApiError(409, `IP address ${wanted} already allocated in subnet ${String(subnet['id'])}.`, {
        type: 'IpAddressAlreadyAllocated',
      });
    return [{ subnet_id: subnet['id'], ip_address: wanted }];
  }
  for (const { start, end } of subnet['allocation_pools'] as { start: string; end: string }[])
    for (let next = number(start); next <= number(end); next++)
      if (!taken.has(dotted(next))) return [{ subnet_id: subnet['id'], ip_address: dotted(next) }];
  throw new ApiError(409, `No more IP addresses available on network ${String(network['id'])}.`, {
    type: 'IpAddressGenerationFailure',
  });
}

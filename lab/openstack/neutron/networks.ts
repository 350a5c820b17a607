import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { PROJECT_ID } from '../keystone/service.ts';
import { bodyOf } from '../page.ts';
import { admin } from '../service.ts';
import { newUuid, second, uuidOf, type Wire } from '../state.ts';
import { bind, changed, DEFAULT_GROUP, makePort, removePort } from './ports.ts';
import { shownNetworks, shownSubnets } from './faulty.ts';
import { listed } from './list.ts';

/** A network as Neutron has it. */
export const network = (name: string, provider: Wire, id = uuidOf(`network/${name}`)): Wire => {
  const now = second();
  return {
    id,
    name,
    project_id: PROJECT_ID,
    tenant_id: PROJECT_ID,
    status: 'ACTIVE',
    admin_state_up: true,
    shared: true,
    'router:external': false,
    mtu: 1500,
    port_security_enabled: true,
    availability_zone_hints: [],
    availability_zones: ['nova'],
    description: '',
    is_default: false,
    'provider:network_type': 'vxlan',
    'provider:physical_network': null,
    'provider:segmentation_id': null,
    subnets: [],
    tags: [],
    qos_policy_id: null,
    created_at: now,
    updated_at: now,
    revision_number: 1,
    ...provider,
  };
};

/** A subnet of a network. The lab's are of the loopback, where Neutron gives no DHCP. */
export const subnet = (
  of: Wire,
  cidr: string,
  pool: readonly [string, string],
  id = uuidOf(`subnet/${cidr}`),
): Wire => {
  (of['subnets'] as unknown[]).push(id);
  const now = second();
  return {
    id,
    name: `${String(of['name'])}-v4`,
    network_id: of['id'],
    project_id: PROJECT_ID,
    tenant_id: PROJECT_ID,
    ip_version: 4,
    cidr,
    gateway_ip: null,
    enable_dhcp: false,
    allocation_pools: [{ start: pool[0], end: pool[1] }],
    dns_nameservers: [],
    host_routes: [],
    ipv6_address_mode: null,
    ipv6_ra_mode: null,
    subnetpool_id: null,
    service_types: [],
    segment_id: null,
    description: '',
    tags: [],
    created_at: now,
    updated_at: now,
    revision_number: 0,
  };
};

const TYPES: { readonly [name: string]: string } = {
  networks: 'NetworkNotFound',
  subnets: 'SubnetNotFound',
  ports: 'PortNotFound',
  'security-groups': 'SecurityGroupNotFound',
};

/** Networks, subnets, ports and security groups. */
export function networkRoutes(app: FastifyInstance, cloud: Cloud): void {
  const groups = (): Wire[] => cloud.state.securityGroups;
  const all: { readonly [path: string]: () => Wire[] } = {
    networks: () => shownNetworks(cloud),
    subnets: () => shownSubnets(cloud),
    ports: () => cloud.state.ports,
    'security-groups': groups,
  };
  for (const [path, list] of Object.entries(all)) {
    const key = path.replaceAll('-', '_');
    const what = key.replace(/s$/, '');
    app.get(`/v2.0/${path}`, (request) => listed(cloud, key, list(), request));
    app.get(`/v2.0/${path}/:id`, (request) => ({ [what]: named(list(), path, request) }));
  }
  app.get('/v2.0/security-group-rules', (request) =>
    listed(
      cloud,
      'security_group_rules',
      groups().flatMap((group) => group['security_group_rules'] as Wire[]),
      request,
    ),
  );
  app.get('/v2.0/quotas/:project', () => ({
    quota: { network: 100, subnet: 100, port: 500, security_group: 10, security_group_rule: 100 },
  }));
  ports(app, cloud);
  networksOfUsers(app, cloud);
}

function named(list: readonly Wire[], path: string, request: FastifyRequest): Wire {
  const { id } = request.params as { id: string };
  const found = list.find((each) => each['id'] === id);
  const name =
    path === 'security-groups' ? 'Security group' : `${path[0]!.toUpperCase()}${path.slice(1, -1)}`;
  if (found === undefined)
    throw new ApiError(404, `${name} ${id} could not be found.`, { type: TYPES[path]! });
  return found;
}

function ports(app: FastifyInstance, cloud: Cloud): void {
  app.post('/v2.0/ports', (request, reply) => {
    const asked = bodyOf(request, 'port');
    const text = (field: string): string | undefined =>
      typeof asked[field] === 'string' ? asked[field] : undefined;
    const fixed = (asked['fixed_ips'] as { ip_address?: string }[] | undefined)?.[0]?.ip_address;
    const port = makePort(cloud, {
      network: String(asked['network_id']),
      name: text('name'),
      device: text('device_id'),
      owner: text('device_owner'),
      host: text('binding:host_id'),
      vnic: text('binding:vnic_type'),
      mac: text('mac_address'),
      address: fixed,
      groups: asked['security_groups'] as string[] | undefined,
    });
    return reply.code(201).send({ port });
  });
  const WRITABLE = [
    'name',
    'device_id',
    'device_owner',
    'admin_state_up',
    'description',
    'security_groups',
    'binding:profile',
    'binding:vnic_type',
  ];
  app.put('/v2.0/ports/:id', (request) => {
    const port = named(cloud.state.ports, 'ports', request);
    const asked = bodyOf(request, 'port');
    for (const field of WRITABLE) if (field in asked) port[field] = asked[field];
    changed(port);
    const host = asked['binding:host_id'];
    if (typeof host === 'string') bind(cloud, port, host);
    cloud.save();
    return { port };
  });
  app.delete('/v2.0/ports/:id', (request, reply) => {
    removePort(cloud, String(named(cloud.state.ports, 'ports', request)['id']));
    return reply.code(204).send();
  });
}

function networksOfUsers(app: FastifyInstance, cloud: Cloud): void {
  const rule = { onRequest: admin('neutron', 'create_network:shared') };
  app.post('/v2.0/networks', rule, (request, reply) => {
    const { name = '', ...asked } = bodyOf(request, 'network');
    const made = network(String(name), { shared: false, ...asked }, newUuid());
    cloud.state.networks.push(made);
    cloud.save();
    return reply.code(201).send({ network: made });
  });
  app.delete('/v2.0/networks/:id', rule, (request, reply) => {
    const gone = named(cloud.state.networks, 'networks', request);
    const { id } = gone;
    if (cloud.state.ports.some((port) => port['network_id'] === id))
      throw new ApiError(
        409,
        `Unable to complete operation on network ${String(id)}. There are one or more ports still in use on the network.`,
        { type: 'NetworkInUse' },
      );
    cloud.state.networks = cloud.state.networks.filter((each) => each !== gone);
    cloud.state.subnets = cloud.state.subnets.filter((each) => each['network_id'] !== id);
    cloud.save();
    return reply.code(204).send();
  });
  app.post('/v2.0/subnets', rule, (request, reply) => {
    const { network_id, cidr, name, allocation_pools: pools } = bodyOf(request, 'subnet');
    const of = cloud.state.networks.find((each) => each['id'] === network_id);
    if (of === undefined)
      throw new ApiError(404, `Network ${String(network_id)} could not be found.`, {
        type: 'NetworkNotFound',
      });
    const [pool] = (pools ?? []) as { start: string; end: string }[];
    const [base = ''] = String(cidr).split('/');
    const made = subnet(
      of,
      String(cidr),
      [pool?.start ?? base.replace(/\d+$/, '10'), pool?.end ?? base.replace(/\d+$/, '250')],
      newUuid(),
    );
    if (typeof name === 'string') made['name'] = name;
    cloud.state.subnets.push(made);
    cloud.save();
    return reply.code(201).send({ subnet: made });
  });
  app.delete('/v2.0/subnets/:id', rule, (request, reply) => {
    const gone = named(cloud.state.subnets, 'subnets', request);
    cloud.state.subnets = cloud.state.subnets.filter((each) => each !== gone);
    for (const each of cloud.state.networks)
      each['subnets'] = (each['subnets'] as unknown[]).filter((id) => id !== gone['id']);
    cloud.save();
    return reply.code(204).send();
  });
}

/** The group that every port is in where none is named. */
export const defaultGroup = (): Wire => {
  const rule = (direction: string, more: Wire): Wire => ({
    id: uuidOf(`rule/${direction}`),
    direction,
    ethertype: 'IPv4',
    protocol: null,
    port_range_min: null,
    port_range_max: null,
    remote_ip_prefix: null,
    remote_group_id: null,
    security_group_id: DEFAULT_GROUP,
    project_id: PROJECT_ID,
    tenant_id: PROJECT_ID,
    ...more,
  });
  return {
    id: DEFAULT_GROUP,
    name: 'default',
    description: 'Default security group',
    project_id: PROJECT_ID,
    tenant_id: PROJECT_ID,
    stateful: true,
    shared: false,
    tags: [],
    security_group_rules: [rule('egress', {}), rule('ingress', { remote_group_id: DEFAULT_GROUP })],
  };
};

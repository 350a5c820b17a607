import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { matches, nextUrl, page, queryOf } from '../page.ts';
import { newUuid, offset, type IronicNode, type Wire } from '../state.ts';
import { nodeOf } from './life.ts';
import { brief, minorOf, nodeView, visible } from './node-view.ts';

/** The node that a request names; a 404 where there is none. */
export function nodeNamed(cloud: Cloud, request: FastifyRequest): IronicNode {
  const { id } = request.params as { id: string };
  const found = nodeOf(cloud, id);
  if (found === undefined) throw new ApiError(404, `Node ${id} could not be found.`);
  return found;
}

/** Nodes of Ironic: listed, shown and changed; and their ports. */
export function nodeRoutes(app: FastifyInstance, cloud: Cloud): void {
  const list = (request: FastifyRequest, detail: boolean): Wire => {
    const query = queryOf(request);
    const found = cloud.state.nodes
      .map((node) => nodeView(cloud, node, request.version))
      .filter((view) => wanted(view, query));
    const { items, last } = page(found, query, (view) => String(view['uuid']));
    const shown = items.map((view) => {
      if (query['fields'] !== undefined) return only(view, query['fields']);
      return detail ? view : brief(view);
    });
    return { nodes: shown, ...(last === undefined ? {} : { next: nextUrl(cloud.url(), request, last) }) };
  };
  app.get('/v1/nodes', (request) => list(request, /^true$/i.test(queryOf(request)['detail'] ?? '')));
  app.get('/v1/nodes/detail', (request) => list(request, true));
  app.get('/v1/nodes/:id', (request) => {
    const view = nodeView(cloud, nodeNamed(cloud, request), request.version);
    const { fields } = queryOf(request);
    return fields === undefined ? view : only(view, fields);
  });
  app.patch('/v1/nodes/:id', (request) => {
    const node = nodeNamed(cloud, request);
    patch(node, request.body);
    cloud.save();
    return nodeView(cloud, node, request.version);
  });
  ports(app, cloud);
}

/** `associated`, `driver` and the like; a field that is not there is empty. */
function wanted(
  view: Wire,
  { associated, ...query }: { readonly [name: string]: string | undefined },
): boolean {
  if (associated !== undefined && /^true$/i.test(associated) !== (view['instance_uuid'] !== null))
    return false;
  return matches(view, query, ['detail']);
}

function only(view: Wire, fields: string): Wire {
  const names = fields.split(',');
  const unknown = names.find((name) => !(name in view));
  if (unknown !== undefined) throw new ApiError(400, `Field(s) "${unknown}" are not valid.`);
  return Object.fromEntries([...names, 'links'].map((name) => [name, view[name]]));
}

const FIXED = [
  'uuid',
  'provision_state',
  'target_provision_state',
  'power_state',
  'target_power_state',
  'created_at',
];

/** Changes a node as a JSON patch says. */
function patch(node: IronicNode, operations: unknown): void {
  if (!Array.isArray(operations)) throw new ApiError(400, 'Invalid input for field/attribute patch.');
  for (const { op, path, value } of operations as { op: string; path: string; value: unknown }[]) {
    const [field = '', ...inner] = path.replace(/^\//, '').split('/');
    if (FIXED.includes(field))
      throw new ApiError(400, `'/${field}' is an internal attribute and can not be updated`);
    if (!(field in node)) throw new ApiError(400, `Error: unknown field '${path}'`);
    const [key] = inner;
    if (key === undefined) node[field] = op === 'remove' ? (EMPTY[field] ?? null) : value;
    else {
      const next = { ...(node[field] as Wire | null) };
      if (op === 'remove') delete next[key];
      else next[key] = value;
      node[field] = next;
    }
  }
  node['updated_at'] = offset();
}

const EMPTY: { readonly [field: string]: unknown } = {
  instance_info: {},
  extra: {},
  properties: {},
  driver_info: {},
};

function ports(app: FastifyInstance, cloud: Cloud): void {
  const whole = (port: Wire, version: string): Wire => {
    const minor = minorOf(version);
    return {
      ...visible(port, minor),
      links: [
        { href: `${cloud.url()}/baremetal/v1/ports/${String(port['uuid'])}`, rel: 'self' },
        { href: `${cloud.url()}/baremetal/ports/${String(port['uuid'])}`, rel: 'bookmark' },
      ],
    };
  };
  const list = (found: Wire[], request: FastifyRequest, detail: boolean): Wire => {
    const query = queryOf(request);
    const { items, last } = page(found, query, (port) => String(port['uuid']));
    return {
      ports: items.map((port) => {
        const { uuid, address, links } = whole(port, request.version);
        if (query['fields'] !== undefined) return only(whole(port, request.version), query['fields']);
        return detail ? whole(port, request.version) : { uuid, address, links };
      }),
      ...(last === undefined ? {} : { next: nextUrl(cloud.url(), request, last) }),
    };
  };
  const asked = (request: FastifyRequest): Wire[] => {
    const { node, node_uuid, address } = queryOf(request);
    const of = node ?? node_uuid;
    const id = of === undefined ? undefined : (nodeOf(cloud, of)?.uuid ?? of);
    return cloud.state.nodePorts.filter(
      (port) =>
        (id === undefined || port['node_uuid'] === id) &&
        (address === undefined || port['address'] === address),
    );
  };
  const isDetail = (request: FastifyRequest): boolean => /^true$/i.test(queryOf(request)['detail'] ?? '');
  app.get('/v1/ports', (request) => list(asked(request), request, isDetail(request)));
  app.get('/v1/ports/detail', (request) => list(asked(request), request, true));
  app.get('/v1/ports/:id', (request) => {
    const { id } = request.params as { id: string };
    const found = cloud.state.nodePorts.find((port) => port['uuid'] === id || port['address'] === id);
    if (found === undefined) throw new ApiError(404, `Port ${id} could not be found.`);
    return whole(found, request.version);
  });
  app.get('/v1/nodes/:id/ports', (request) => {
    const { uuid } = nodeNamed(cloud, request);
    return list(
      cloud.state.nodePorts.filter((port) => port['node_uuid'] === uuid),
      request,
      isDetail(request),
    );
  });
}

/** A node that is there from the first. */
export const newNode = (name: string, uuid: string, more: Partial<IronicNode>): IronicNode => {
  const now = offset();
  return {
    uuid,
    name,
    driver: 'redfish',
    provision_state: 'available',
    target_provision_state: null,
    power_state: 'power off',
    target_power_state: null,
    maintenance: false,
    maintenance_reason: null,
    fault: null,
    instance_uuid: null,
    instance_name: null,
    instance_info: {},
    resource_class: null,
    last_error: null,
    driver_info: {},
    driver_internal_info: {},
    properties: {},
    extra: {},
    reservation: null,
    automated_clean: null,
    protected: false,
    protected_reason: null,
    owner: null,
    lessee: null,
    description: null,
    conductor_group: '',
    console_enabled: true,
    inspection_started_at: null,
    inspection_finished_at: now,
    clean_step: {},
    deploy_step: {},
    service_step: {},
    raid_config: {},
    target_raid_config: {},
    retired: false,
    retired_reason: null,
    network_data: {},
    boot_mode: 'uefi',
    secure_boot: false,
    shard: null,
    parent_node: null,
    disable_power_off: false,
    health: null,
    traits: [],
    provision_updated_at: now,
    created_at: now,
    updated_at: now,
    ...more,
  };
};

/** A port of a node. */
export const newNodePort = (node: string, address: string, more: Wire): Wire => ({
  uuid: newUuid(),
  node_uuid: node,
  address,
  extra: {},
  internal_info: {},
  pxe_enabled: true,
  portgroup_uuid: null,
  physical_network: 'physnet1',
  is_smartnic: false,
  name: null,
  local_link_connection: {},
  created_at: offset(),
  updated_at: null,
  ...more,
});

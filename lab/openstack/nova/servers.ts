import type { FastifyInstance, FastifyRequest } from 'fastify';
import { COMPUTES, IRONIC_COMPUTE, type Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { bodyOf, nextUrl, page, queryOf, type Query } from '../page.ts';
import { newUuid, second, type CloudServer, type Wire } from '../state.ts';
import { since } from '../versions.ts';
import { hypervisors } from './hosts.ts';
import { attachPort, begin, serverOf, startDelete, TAKES } from './life.ts';
import { QUOTA, used } from './project.ts';
import { addressesOf, links, serverView } from './view.ts';

export function serverNamed(cloud: Cloud, request: FastifyRequest): CloudServer {
  const { id } = request.params as { id: string };
  const found = serverOf(cloud, id);
  if (found === undefined) throw new ApiError(404, `Instance ${id} could not be found.`);
  return found;
}

const requestId = (reply: { getHeader(name: string): unknown }): string =>
  String(reply.getHeader('x-openstack-request-id'));

/** Servers: made, shown, and taken away. */
export function serverRoutes(app: FastifyInstance, cloud: Cloud): void {
  const view = (server: CloudServer, request: FastifyRequest): Wire =>
    serverView(cloud, server, request.version, request.account!.roles.includes('admin'));
  for (const detail of [false, true])
    app.get(`/v2.1/servers${detail ? '/detail' : ''}`, (request) => {
      const query = queryOf(request);
      const found = cloud.state.servers.filter((server) => wanted(cloud, server, query)).toReversed();
      const { items, last } = page(found, query, ({ id }) => id);
      return {
        servers: items.map((server) =>
          detail
            ? view(server, request)
            : { id: server.id, name: server.name, links: links(cloud, server.id) },
        ),
        ...(last === undefined
          ? {}
          : { servers_links: [{ rel: 'next', href: nextUrl(cloud.url(), request, last) }] }),
      };
    });
  app.get('/v2.1/servers/:id', (request) => ({ server: view(serverNamed(cloud, request), request) }));
  app.get('/v2.1/servers/:id/ips', (request) => ({
    addresses: Object.fromEntries(
      Object.entries(addressesOf(cloud, serverNamed(cloud, request))).map(([network, all]) => [
        network,
        all.map(({ version, addr }) => ({ version, addr })),
      ]),
    ),
  }));
  app.post('/v2.1/servers', (request, reply) => {
    const server = newServer(cloud, request);
    begin(server, 'create', requestId(reply));
    cloud.state.servers.push(server);
    cloud.save();
    cloud.later(TAKES.schedule, 'nova.schedule', server.id);
    return reply
      .code(202)
      .header('location', `${cloud.url()}/compute/v2.1/servers/${server.id}`)
      .send({
        server: {
          id: server.id,
          links: links(cloud, server.id),
          'OS-DCF:diskConfig': 'MANUAL',
          security_groups: server.securityGroups.map((name) => ({ name })),
          adminPass: newUuid().slice(0, 12),
        },
      });
  });
  app.put('/v2.1/servers/:id', (request) => {
    const server = serverNamed(cloud, request);
    const { name } = bodyOf(request, 'server');
    if (typeof name === 'string') Object.assign(server, { name, updatedAt: second() });
    cloud.save();
    return { server: view(server, request) };
  });
  app.delete('/v2.1/servers/:id', (request, reply) => {
    startDelete(cloud, serverNamed(cloud, request), requestId(reply));
    return reply.code(204).send();
  });
}

const FILTERS: { readonly [parameter: string]: (server: CloudServer) => string | null } = {
  status: ({ status }) => status,
  host: ({ host }) => host,
  node: ({ hypervisor }) => hypervisor,
  flavor: ({ flavor }) => flavor,
  image: ({ image }) => image,
  uuid: ({ id }) => id,
};

function wanted(_cloud: Cloud, server: CloudServer, query: Query): boolean {
  // A name is a regular expression, which matches anywhere.
  if (query['name'] !== undefined && !server.name.includes(query['name'].replace(/^\^|\$$/g, '')))
    return false;
  return Object.entries(FILTERS).every(
    ([parameter, of]) =>
      query[parameter] === undefined || String(of(server)).toUpperCase() === query[parameter].toUpperCase(),
  );
}

const bad = (message: string): ApiError => new ApiError(400, message);

function newServer(cloud: Cloud, request: FastifyRequest): CloudServer {
  const asked = bodyOf(request, 'server');
  const text = (field: string): string | null => (typeof asked[field] === 'string' ? asked[field] : null);
  const name = text('name');
  if (name === null) throw bad("Invalid input for field/attribute server. 'name' is a required property");
  const flavor = String(asked['flavorRef'] ?? '')
    .split('/')
    .at(-1)!;
  const known = cloud.state.flavors.find((each) => each['id'] === flavor);
  if (known === undefined) throw bad(`Flavor ${flavor} could not be found.`);
  const image = text('imageRef')?.split('/').at(-1) ?? '';
  const found = cloud.state.images.find(({ id }) => id === image);
  const { glance } = cloud.faults;
  if (found === undefined || glance.on('imageDeleted')) throw bad('Can not find requested image');
  if (found.status !== 'active' || glance.on('imageNotActive')) throw bad(`Image ${image} is not active.`);
  const keyName = text('key_name');
  if (keyName !== null && !cloud.state.keypairs.some((each) => each['name'] === keyName))
    throw bad('Invalid key_name provided.');
  const zone = text('availability_zone') ?? 'nova';
  const [zoneName, zoneHost = '', zoneNode = ''] = zone.split(':');
  if (zoneName !== 'nova') throw bad('The requested availability zone is not available');
  const placed = { host: text('host') ?? zoneHost, hypervisor: text('hypervisor_hostname') ?? zoneNode };
  if (!['', IRONIC_COMPUTE, ...COMPUTES].includes(placed.host))
    throw bad(`Compute host ${placed.host} could not be found.`);
  if (!['', ...hypervisors(cloud).map((each) => each.name)].includes(placed.hypervisor))
    throw bad(`Hypervisor host ${placed.hypervisor} could not be found.`);
  quota(cloud, known);
  const now = second();
  const groups = (asked['security_groups'] as { name: string }[] | undefined)?.map((each) => each.name);
  const server: CloudServer = {
    id: newUuid(),
    name,
    status: 'BUILD',
    task: 'scheduling',
    power: 0,
    host: null,
    hypervisor: null,
    zone: 'nova',
    wanted: { host: placed.host || null, hypervisor: placed.hypervisor || null },
    flavor,
    image,
    keyName,
    userData: text('user_data'),
    configDrive: asked['config_drive'] === true || String(asked['config_drive']).toLowerCase() === 'true',
    metadata: (asked['metadata'] ?? {}) as { [key: string]: string },
    securityGroups: groups ?? ['default'],
    ports: [],
    node: null,
    fault: null,
    createdAt: now,
    updatedAt: now,
    launchedAt: null,
    deletedAt: null,
    actions: [],
  };
  networks(cloud, server, asked['networks'], request.version);
  return server;
}

function quota(cloud: Cloud, flavor: Wire): void {
  const now = used(cloud);
  const more = { instances: 1, cores: Number(flavor['vcpus']), ram: Number(flavor['ram']) };
  const over = (Object.keys(more) as (keyof typeof more)[]).filter(
    (each) => now[each] + more[each] > QUOTA[each],
  );
  if (over.length === 0) return;
  const say = (of: (each: keyof typeof more) => unknown): string => over.map(of).join(', ');
  throw new ApiError(
    403,
    `Quota exceeded for ${say((each) => each)}: Requested ${say((each) => more[each])}, but already used ${say((each) => now[each])} of ${say((each) => QUOTA[each])} ${over.join(', ')}`,
  );
}

/** What a server is plugged into: every network is looked at before any port is made. */
function networks(cloud: Cloud, server: CloudServer, asked: unknown, version: string): void {
  if (asked === undefined && since(version, '2.37'))
    throw bad("Invalid input for field/attribute server. 'networks' is a required property");
  if (asked === 'none') return;
  const list = Array.isArray(asked)
    ? (asked as { uuid?: string; port?: string; fixed_ip?: string }[])
    : [{ uuid: String(cloud.state.networks.find(({ name }) => name === 'tenant')?.['id']) }];
  for (const { uuid, port } of list) {
    if (port !== undefined && !cloud.state.ports.some((each) => each['id'] === port))
      throw bad(`Port ${port} not found`);
    if (port === undefined && !cloud.state.networks.some((each) => each['id'] === uuid))
      throw bad(`Network ${String(uuid)} could not be found.`);
  }
  for (const { uuid, port, fixed_ip: address } of list)
    attachPort(cloud, server, { network: uuid, port, address });
}

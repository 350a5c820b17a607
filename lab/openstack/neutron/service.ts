import type { FastifyInstance } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { admin, type Service } from '../service.ts';
import type { Wire } from '../state.ts';
import { agents } from './agents.ts';
import { listed } from './list.ts';
import { networkRoutes } from './networks.ts';

/** Neutron: networks, and the agents that make them. */
export const neutron: Service = {
  name: 'neutron',
  prefix: '/networking',
  open: /^(\/v2\.0)?$/,
  routes,
};

const EXTENSIONS: readonly (readonly [alias: string, name: string])[] = [
  ['agent', 'agent'],
  ['availability_zone', 'Availability Zone'],
  ['binding', 'Port Binding'],
  ['binding-extended', 'Port Bindings Extended'],
  ['default-subnetpools', 'Default Subnetpools'],
  ['dhcp_agent_scheduler', 'DHCP Agent Scheduler'],
  ['external-net', 'Neutron external network'],
  ['net-mtu', 'Network MTU'],
  ['pagination', 'Pagination support'],
  ['port-security', 'Port Security'],
  ['provider', 'Provider Network'],
  ['quotas', 'Quota management support'],
  ['security-group', 'security-group'],
  ['sorting', 'Sorting support'],
  ['standard-attr-timestamp', 'Resource timestamps'],
];

function routes(app: FastifyInstance, cloud: Cloud): void {
  const here = (): string => `${cloud.url()}/networking/v2.0/`;
  app.get('/', () => ({
    versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: here() }] }],
  }));
  app.get('/v2.0', () => ({
    resources: ['subnet', 'network', 'port', 'agent', 'extension'].map((name) => ({
      name,
      collection: `${name}s`,
      links: [{ rel: 'self', href: `${here()}${name}s` }],
    })),
  }));
  const extension = ([alias, name]: readonly [string, string]): Wire => ({
    alias,
    name,
    description: name,
    updated: '2012-01-01T10:00:00-00:00',
    links: [],
  });
  app.get('/v2.0/extensions', () => ({ extensions: EXTENSIONS.map(extension) }));
  app.get('/v2.0/extensions/:alias', (request) => {
    const { alias } = request.params as { alias: string };
    const found = EXTENSIONS.find(([each]) => each === alias);
    if (found === undefined)
      throw new ApiError(404, `Extension with alias ${alias} does not exist`, { type: 'HTTPNotFound' });
    return { extension: extension(found) };
  });
  const readers = { onRequest: admin('neutron', 'get_agent') };
  app.get('/v2.0/agents', readers, (request) => listed(cloud, 'agents', agents(cloud), request));
  app.get('/v2.0/agents/:id', readers, (request) => {
    const { id } = request.params as { id: string };
    const found = agents(cloud).find((agent) => agent['id'] === id);
    if (found === undefined)
      throw new ApiError(404, `Agent ${id} could not be found.`, { type: 'AgentNotFound' });
    return { agent: found };
  });
  networkRoutes(app, cloud);
}

import type { FastifyInstance } from 'fastify';
import type { Faults } from '../../faults.ts';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import type { Service } from '../service.ts';
import type { Wire } from '../state.ts';
import { allocationRoutes } from './allocations.ts';
import { driverRoutes } from './drivers.ts';
import { minorOf } from './node-view.ts';
import { nodeRoutes } from './nodes.ts';
import { nodeStateRoutes } from './node-states.ts';

const MIN = '1.1';
const MAX = '1.111';
const newest = (faults: Faults): string => (faults.on('apiOld') ? '1.56' : MAX);

/** Ironic: the machines, and how far they are. */
export const ironic: Service = {
  name: 'ironic',
  prefix: '/baremetal',
  open: /^(\/v1)?$/,
  microversions: (faults) => ({
    type: 'baremetal',
    legacy: 'x-openstack-ironic-api-version',
    min: MIN,
    max: newest(faults),
    fallback: MIN,
    refused: (asked) =>
      new ApiError(
        406,
        `Version ${asked} was requested but the minor version is not supported by this service. The supported version range is: [${MIN}, ${newest(faults)}].`,
      ),
  }),
  routes,
};

function routes(app: FastifyInstance, cloud: Cloud): void {
  const version = (): Wire => ({
    id: 'v1',
    links: [{ href: `${cloud.url()}/baremetal/v1/`, rel: 'self' }],
    status: 'CURRENT',
    min_version: MIN,
    version: newest(cloud.faults.ironic),
  });
  app.get('/', () => ({
    name: 'OpenStack Ironic API',
    description:
      'Ironic is an OpenStack project which enables the provision and management of baremetal machines.',
    versions: [version()],
    default_version: version(),
  }));
  const part = (name: string): Wire[] => [
    { href: `${cloud.url()}/baremetal/v1/${name}/`, rel: 'self' },
    { href: `${cloud.url()}/baremetal/${name}/`, rel: 'bookmark' },
  ];
  app.get('/v1', (request) => ({
    id: 'v1',
    links: [{ href: `${cloud.url()}/baremetal/v1/`, rel: 'self' }],
    media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
    nodes: part('nodes'),
    ports: part('ports'),
    drivers: part('drivers'),
    ...(minorOf(request.version) >= 49 ? { conductors: part('conductors') } : {}),
    ...(minorOf(request.version) >= 52 ? { allocations: part('allocations') } : {}),
    version: version(),
  }));
  driverRoutes(app, cloud);
  nodeRoutes(app, cloud);
  nodeStateRoutes(app, cloud);
  allocationRoutes(app, cloud);
}

import type { FastifyInstance } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import type { Service } from '../service.ts';
import type { Wire } from '../state.ts';
import { flavorRoutes } from './flavors.ts';
import { hostRoutes } from './hosts.ts';
import { instanceRoutes } from './instances.ts';
import { projectRoutes } from './project.ts';
import { serverRoutes } from './servers.ts';

const MIN = '2.1';
const MAX = '2.103';

/** Nova: servers, and the hosts that they lie on. */
export const nova: Service = {
  name: 'nova',
  prefix: '/compute',
  open: /^(\/v2\.1)?$/,
  microversions: () => ({
    type: 'compute',
    legacy: 'x-openstack-nova-api-version',
    min: MIN,
    max: MAX,
    fallback: MIN,
    refused: (asked) =>
      new ApiError(
        406,
        `Version ${asked} is not supported by the API. Minimum is ${MIN} and maximum is ${MAX}.`,
      ),
  }),
  routes,
};

function routes(app: FastifyInstance, cloud: Cloud): void {
  const version = (): Wire => ({
    id: 'v2.1',
    status: 'CURRENT',
    version: MAX,
    min_version: MIN,
    updated: '2013-07-23T11:33:21Z',
    links: [{ rel: 'self', href: `${cloud.url()}/compute/v2.1/` }],
  });
  app.get('/', () => ({ versions: [version()] }));
  app.get('/v2.1', () => ({
    version: {
      ...version(),
      'media-types': [
        { base: 'application/json', type: 'application/vnd.openstack.compute+json;version=2.1' },
      ],
    },
  }));
  hostRoutes(app, cloud);
  flavorRoutes(app, cloud);
  projectRoutes(app, cloud);
  serverRoutes(app, cloud);
  instanceRoutes(app, cloud);
}

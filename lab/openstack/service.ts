import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Identity } from '../certificates.ts';
import type { Faults } from '../faults.ts';
import type { Account, Cloud } from './cloud.ts';
import { ApiError, formOf, UNAUTHORIZED, UNAVAILABLE } from './errors.ts';
import { holderOf } from './keystone/tokens.ts';
import { newRequestId } from './state.ts';
import type { CloudService } from './switches.ts';
import { negotiate, type Microversions } from './versions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose token it has; none where none is needed. */
    account: Account | null;
    /** The microversion that it is answered in. */
    version: string;
  }
}

/** One service of the cloud, under its own path. */
export interface Service {
  readonly name: CloudService;
  readonly prefix: string;
  /** What can be asked for without a token, below the prefix. */
  readonly open: RegExp;
  /** Where whoever has no token gets one. */
  readonly login?: RegExp;
  readonly microversions?: (faults: Faults) => Microversions;
  readonly routes: (app: FastifyInstance, cloud: Cloud) => void;
}

/** An application over TLS with these services. */
export function cloudApp(cloud: Cloud, services: readonly Service[], identity: Identity): FastifyInstance {
  const app = Fastify({
    https: { ...identity, minVersion: 'TLSv1.2' },
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
  });
  app.decorateRequest('account', null);
  app.decorateRequest('version', '');
  // Clients send "application/json" with no body, too; bytes of images are no JSON.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(/^application\/.*json/, { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : JSON.parse(String(body)));
    } catch {
      done(new ApiError(400, 'Malformed request body'), undefined);
    }
  });
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  publisher(app, cloud);
  for (const service of services)
    app.register(
      (scope, _options, done) => {
        attach(scope, cloud, service);
        done();
      },
      { prefix: service.prefix },
    );
  return app;
}

/** What conductors publish for BMCs to boot, on their own server: no token is asked for. */
function publisher(app: FastifyInstance, cloud: Cloud): void {
  app.get('/published/boot.iso', (_request, reply) =>
    cloud.faults.ironic.on('bootImageUnpublished')
      ? reply.code(404).send('not found')
      : reply.type('application/octet-stream').send('boot'),
  );
  app.get('/published/', (_request, reply) => reply.code(403).send('no listing'));
}

function attach(app: FastifyInstance, cloud: Cloud, service: Service): void {
  const faults = cloud.faults[service.name];
  app.addHook('onRequest', async (request, reply) => {
    if (faults.on('apiDown')) {
      reply.hijack();
      request.raw.socket.destroy();
      return;
    }
    const slow = faults.milliseconds('apiSlow');
    if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow).unref());
    if (faults.take('apiUnavailable')) return reply.code(503).type('text/html').send(UNAVAILABLE);
    reply.header('x-openstack-request-id', newRequestId());
    if (service.microversions) versioned(request, reply, service.microversions(faults));
    const path = request.url.slice(service.prefix.length).replace(/\?.*$/, '').replace(/\/+$/, '');
    if (service.open.test(path)) return;
    if (faults.on('apiUnauthorized')) throw new ApiError(401, UNAUTHORIZED);
    if (service.login?.test(path)) return;
    request.account = holderOf(cloud, request.headers['x-auth-token']) ?? null;
    if (request.account === null) throw new ApiError(401, UNAUTHORIZED);
    if (faults.on('apiForbidden')) throw forbidden(service.name, `${request.method.toLowerCase()} ${path}`);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const known = error instanceof ApiError ? error : new ApiError(error.statusCode ?? 500, error.message);
    const { type, body } = formOf(service.name, known, String(reply.getHeader('x-openstack-request-id')));
    if (known.status === 401) reply.header('www-authenticate', `Keystone uri="${cloud.url()}/identity"`);
    return reply.code(known.status).type(type).send(body);
  });
  app.setNotFoundHandler(() => {
    throw new ApiError(404, 'The resource could not be found.');
  });
  service.routes(app, cloud);
}

function versioned(request: FastifyRequest, reply: FastifyReply, known: Microversions): void {
  const { type, legacy, min, max } = known;
  reply.header('vary', ['OpenStack-API-Version', ...(legacy === undefined ? [] : [legacy])].join(', '));
  if (type === 'baremetal') {
    reply.header('x-openstack-ironic-api-minimum-version', min);
    reply.header('x-openstack-ironic-api-maximum-version', max);
  }
  request.version = negotiate(request, known);
  reply.header('openstack-api-version', `${type} ${request.version}`);
  if (legacy !== undefined) reply.header(legacy, request.version);
}

const FORBIDDEN: { readonly [service in CloudService]: (rule: string) => ApiError } = {
  keystone: (rule) => new ApiError(403, `You are not authorized to perform the requested action: ${rule}.`),
  nova: (rule) => new ApiError(403, `Policy doesn't allow ${rule} to be performed.`),
  neutron: (rule) =>
    new ApiError(403, `(rule:${rule}) is disallowed by policy`, { type: 'PolicyNotAuthorized' }),
  glance: () => new ApiError(403, 'You are not authorized to complete this action.'),
  placement: (rule) => new ApiError(403, `${rule} is not allowed by policy`),
  ironic: (rule) => new ApiError(403, `Access was denied to the following resource: ${rule}`),
};

const forbidden = (service: CloudService, rule: string): ApiError => FORBIDDEN[service](rule);

/** Lets only administrators on. */
export const admin =
  (service: CloudService, rule: string) =>
  async (request: FastifyRequest): Promise<void> => {
    if (request.account?.roles.includes('admin') !== true) throw forbidden(service, rule);
  };

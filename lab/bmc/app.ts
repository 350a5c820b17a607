import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { WriteKind } from '../fault-switches.ts';
import type { Server } from '../server.ts';
import { patchBios, postJob } from './bios-writes.ts';
import { METADATA, SERVICE_DOCUMENT } from './documents.ts';
import { withFaults } from './faulty.ts';
import { noContent, problem, type Answer } from './messages.ts';
import { readRefusal } from './read-refusals.ts';
import { ROOT } from './services.ts';
import type { Gate } from './sessions.ts';
import { bentError, shownResource } from './shown.ts';
import { allowed, etag, isOpen, LOGIN_PATHS, logWrite, pathOf, tree } from './requests.ts';
import { hasActions } from './virtual-media.ts';
import {
  ejectMedia,
  insertMedia,
  isSlot,
  patchAccount,
  patchSecureBoot,
  patchBoot,
  patchMedia,
  reset,
} from './writes.ts';
import { taskMonitor } from './tasks.ts';
import { SIMPLE_UPDATE, simpleUpdate } from './update.ts';

/** One server's BMC, as far as the HTTP application needs to know it. */
export interface Bmc {
  readonly server: Server;
  readonly gate: Gate;
  /** The manager restarts: it hangs up for a while. */
  restart(): void;
}

type Body = Readonly<Record<string, unknown>>;
type Handler = (
  bmc: Bmc,
  request: FastifyRequest,
  body: Body,
) => Answer | undefined | Promise<Answer | undefined>;

/** The Redfish service of all BMCs: one application; which server is meant is known by the connection. */
export function redfishApp(bmcOf: (request: IncomingMessage) => Bmc): FastifyInstance {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true }, bodyLimit: 1024 * 1024 });
  app.removeContentTypeParser(['text/plain', 'application/json']);
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? undefined : JSON.parse(text as string));
    } catch (error) {
      done(Object.assign(error as Error, { statusCode: 400 }));
    }
  });

  const send = (request: FastifyRequest, reply: FastifyReply, answer: Answer | undefined): unknown => {
    if (answer === undefined) {
      logWrite(bmcOf(request.raw).server, request, null);
      return reply.hijack();
    }
    for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value);
    return reply.code(answer.status).send(bentError(bmcOf(request.raw).server, answer.body));
  };
  const on = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, handler: Handler): void => {
    app.route({
      method,
      url: `${ROOT}${path}`,
      handler: async (request, reply) => {
        const { body } = request;
        const bodyless = method === 'GET' || method === 'DELETE' || path.endsWith('EjectMedia');
        if (!bodyless && (typeof body !== 'object' || body === null || Array.isArray(body)))
          return send(request, reply, problem(400, 'MalformedJSON'));
        return send(request, reply, await handler(bmcOf(request.raw), request, (body ?? {}) as Body));
      },
    });
  };
  const write =
    (kind: WriteKind, effect: Handler, pretend?: (bmc: Bmc, body: Body) => Answer): Handler =>
    (bmc, request, body) =>
      withFaults(
        bmc.server,
        kind,
        request.raw.socket,
        async () => (await effect(bmc, request, body)) ?? noContent,
        pretend && (() => pretend(bmc, body)),
      );
  const urlOf = (request: FastifyRequest): string => `https://${request.headers.host}${request.url}`;
  const param = (request: FastifyRequest, name: string): string =>
    (request.params as Record<string, string>)[name] ?? '';

  app.addHook('onRequest', async (request, reply) => {
    const bmc = bmcOf(request.raw);
    if (bmc.server.faults.take('bmcDown')) {
      request.raw.socket.destroy();
      return reply.hijack();
    }
    const slow = bmc.server.faults.milliseconds('slow');
    if (slow > 0) await sleep(slow);
    reply.header('odata-version', '4.0').header('cache-control', 'no-cache');
    if ((request.headers['odata-version'] ?? '4.0') !== '4.0')
      return send(request, reply, problem(412, 'PreconditionFailed'));
    if (bmc.server.faults.take('bmcBusy'))
      return send(request, reply, problem(503, 'ServiceTemporarilyUnavailable', ['5']));
    if (bmc.server.faults.take('bmcBusyRetryAfter'))
      return send(
        request,
        reply,
        problem(503, 'ServiceTemporarilyUnavailable', ['1'], { 'retry-after': '1' }),
      );
    if (isOpen(request)) return;
    if (!bmc.gate.admits(request.headers)) {
      reply.header('www-authenticate', 'Basic realm="Lab BMC"');
      return send(request, reply, problem(401, 'NoValidSession'));
    }
    const account = pathOf(request) === `${ROOT}/AccountService/Accounts/1`;
    if (!account && bmc.server.faults.on('passwordChangeRequired'))
      return send(request, reply, problem(403, 'PasswordChangeRequired'));
    const refused = request.method === 'GET' ? readRefusal(bmc.server, pathOf(request)) : undefined;
    if (refused !== undefined) return send(request, reply, refused);
  });
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'PATCH') return;
    const { server } = bmcOf(request.raw);
    const current = tree(server)[pathOf(request)]?.();
    const wanted = request.headers['if-match'];
    const isSystem = pathOf(request) === `${ROOT}/Systems/1`;
    const needed = (isSystem && server.faults.take('bootNeedsEtag')) || server.faults.on('patchNeedsEtag');
    if (wanted === undefined && needed) return send(request, reply, problem(428, 'PreconditionRequired'));
    if (wanted !== undefined && wanted !== '*' && current !== undefined && wanted !== etag(current))
      return send(request, reply, problem(412, 'PreconditionFailed'));
  });
  app.addHook('onSend', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      logWrite(bmcOf(request.raw).server, request, reply.statusCode);
  });
  app.setErrorHandler((error, request, reply) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    if (statusCode >= 500) bmcOf(request.raw).server.log.append('bmc-crashed', { reason: String(error) });
    return send(request, reply, problem(statusCode, statusCode < 500 ? 'MalformedJSON' : 'InternalError'));
  });
  app.setNotFoundHandler((request, reply) => {
    const known = tree(bmcOf(request.raw).server)[pathOf(request)] !== undefined;
    if (known) reply.header('allow', allowed(pathOf(request)));
    return send(
      request,
      reply,
      known
        ? problem(405, 'OperationNotAllowed')
        : problem(404, 'ResourceNotFound', ['Resource', pathOf(request)]),
    );
  });

  app.get('/redfish', () => ({ v1: `${ROOT}/` }));
  on('GET', '/odata', () => ({ status: 200, body: SERVICE_DOCUMENT }));
  app.get(`${ROOT}/$metadata`, (_request, reply) => reply.type('application/xml').send(METADATA));
  on('GET', '/TaskService/TaskMonitors/:id', ({ server }, request) =>
    taskMonitor(server, param(request, 'id'), request.url),
  );
  const read: Handler = ({ server }, request) => {
    const path = pathOf(request);
    const query = Object.keys(request.query as object).find((name) => name.startsWith('$'));
    if (query !== undefined) return problem(501, 'QueryNotSupportedOnResource', [query]);
    const found = tree(server)[path]?.();
    if (found === undefined) return problem(404, 'ResourceNotFound', ['Resource', path]);
    const shown = shownResource(server, path, found);
    const tag = etag(found);
    const tagged = 'Members' in shown ? shown : { ...shown, '@odata.etag': tag };
    const schema = /^#(\w+)\./.exec(String(found['@odata.type']))?.[1] ?? 'Resource';
    const headers = {
      etag: tag,
      allow: allowed(path),
      link: `<http://redfish.dmtf.org/schemas/v1/${schema}.json>; rel=describedby`,
    };
    return { status: 200, body: tagged, headers };
  };
  on('GET', '', read);
  on('GET', '/*', read);

  for (const path of LOGIN_PATHS)
    on(
      'POST',
      path,
      write(
        'createSession',
        ({ gate }, _request, body) => gate.open(body),
        ({ gate }, body) => gate.open(body, true),
      ),
    );
  on('DELETE', '/SessionService/Sessions/:id', ({ gate }, request) => gate.close(param(request, 'id')));
  on('PATCH', '/AccountService/Accounts/1', ({ server }, _request, body) => patchAccount(server, body));
  for (const [path, where] of [
    ['/Systems/1', 'system'],
    ['/Systems/1/Settings', 'settings'],
  ] as const)
    on(
      'PATCH',
      path,
      write('patchBoot', ({ server }, _request, body) => patchBoot(server, body, where)),
    );
  for (const [path, where] of [
    ['/Systems/1/Bios', 'bios'],
    ['/Systems/1/Bios/Settings', 'settings'],
  ] as const)
    on(
      'PATCH',
      path,
      write('patchBios', ({ server }, _request, body) => patchBios(server, body, where)),
    );
  on('POST', '/Managers/1/Jobs', ({ server }, _request, body) => postJob(server, body));
  on('PATCH', '/Systems/1/SecureBoot', ({ server }, _request, body) => patchSecureBoot(server, body));
  on(
    'POST',
    '/Systems/1/Actions/ComputerSystem.Reset',
    write('reset', ({ server }, _request, body) => reset(server, body)),
  );
  on(
    'POST',
    SIMPLE_UPDATE.slice(ROOT.length),
    write('simpleUpdate', ({ server }, request, body) => simpleUpdate(server, body, urlOf(request))),
  );
  on('POST', '/Managers/1/Actions/Manager.Reset', (bmc) => (bmc.restart(), noContent));
  for (const owner of ['/Systems/1', '/Managers/1']) {
    on('PATCH', `${owner}/VirtualMedia/:slot`, (bmc, request, body) => {
      const slot = param(request, 'slot');
      if (!isSlot(slot)) return problem(404, 'ResourceNotFound', ['VirtualMedia', slot]);
      return write('insertMedia', ({ server }) => patchMedia(server, slot, body, urlOf(request)))(
        bmc,
        request,
        body,
      );
    });
    for (const [action, kind] of [
      ['InsertMedia', 'insertMedia'],
      ['EjectMedia', 'ejectMedia'],
    ] as const)
      on('POST', `${owner}/VirtualMedia/:slot/Actions/VirtualMedia.${action}`, (bmc, request, body) => {
        const slot = param(request, 'slot');
        if (!isSlot(slot) || tree(bmc.server)[`${ROOT}${owner}/VirtualMedia/${slot}`] === undefined)
          return problem(404, 'ResourceNotFound', ['VirtualMedia', slot]);
        if (!hasActions(bmc.server, slot)) return problem(405, 'OperationNotAllowed');
        const effect: Handler = ({ server }) =>
          kind === 'insertMedia' ? insertMedia(server, slot, body, urlOf(request)) : ejectMedia(server, slot);
        return write(kind, effect)(bmc, request, body);
      });
  }
  return app;
}

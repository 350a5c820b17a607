import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { AGENT_VERSION } from './conductor.ts';
import { AgentError, shown, type Commands } from './commands.ts';

const refuse = (reply: FastifyReply, status: number, faultstring: string): FastifyReply =>
  reply.code(status).send({ faultcode: status < 500 ? 'Client' : 'Server', faultstring });

/** The agent's HTTPS API. All of `/v1/commands/` wants the token. */
export function agentApi(
  identity: { key: string; cert: string },
  tokenIs: (token: unknown) => boolean,
  commands: Commands,
): FastifyInstance {
  const app = Fastify({
    https: { ...identity, minVersion: 'TLSv1.2' },
    forceCloseConnections: true,
    bodyLimit: 100 * 1024 * 1024,
  }) as unknown as FastifyInstance;
  const startedAt = new Date().toISOString();

  app.get('/', () => ({ name: 'OpenStack Ironic Python Agent API', versions: [{ id: 'v1' }] }));
  app.get('/v1/', () => ({
    id: 'v1',
    commands: [{ href: '/v1/commands/' }],
    status: [{ href: '/v1/status/' }],
  }));
  const status = (): object => ({ started_at: startedAt, version: AGENT_VERSION });
  app.get('/v1/status', status);
  app.get('/v1/status/', status);
  app.all('/v1/commands', (request, reply) =>
    reply.redirect(request.url.replace('/v1/commands', '/v1/commands/'), 308),
  );

  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/v1/commands/')) return;
    if (!tokenIs((request.query as Record<string, unknown>)['agent_token']))
      return refuse(reply, 401, 'Token invalid.');
  });
  app.get('/v1/commands/', () => ({ commands: commands.list().map(shown) }));
  app.get('/v1/commands/:id', async (request, reply) => {
    const { id } = request.params as { id: string };
    const record = commands.list().find((r) => r.id === id);
    if (record === undefined) return refuse(reply, 404, `Command with id ${id} not found`);
    if (waits(request.query)) await commands.ended(id);
    return shown(record);
  });
  app.post('/v1/commands/', async (request, reply) => {
    const body = request.body as { name?: unknown; params?: unknown } | null;
    if (typeof body?.name !== 'string' || typeof body.params !== 'object' || body.params === null)
      return refuse(reply, 400, 'Missing or invalid name or params');
    const { record, ended } = commands.start(body.name, body.params as Record<string, unknown>);
    if (waits(request.query) || isQuick(body.name)) await ended;
    return shown(record);
  });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof AgentError)
      return reply.code(error.code).send({ ...error, message: error.message, faultstring: error.message });
    const { statusCode = 500, message } = error as { statusCode?: number; message: string };
    return refuse(reply, statusCode, message);
  });
  return app;
}

const waits = (query: unknown): boolean => (query as Record<string, unknown>)['wait'] === 'true';

const ASYNCHRONOUS = new Set([
  'standby.prepare_image',
  'standby.power_off',
  'standby.run_image',
  'image.install_bootloader',
  'clean.execute_clean_step',
  'deploy.execute_deploy_step',
]);

/** Whether a command is answered with its result, as the agent's synchronous ones are. */
export const isQuick = (name: string): boolean => !ASYNCHRONOUS.has(name);

import Fastify, { LogController, type FastifyInstance } from 'fastify';
import { agentRoutes } from './agent-routes.ts';
import { Doors, type GatewayDeps } from './doors.ts';
import { firstBootRoutes } from './first-boot-routes.ts';
import { imageRoutes } from './image-routes.ts';
import { mediaRoutes } from './media-routes.ts';
import { gatewayLogger, installReplies } from './replies.ts';

export type { GatewayDeps } from './doors.ts';
export { temporalOperations, type Operations } from './operations.ts';

/**
 * The gateway of a site: what BMCs, deploy agents and guests call. It keeps nothing that a restart loses;
 * every request carries a token that it derives again, and the operation says what is open.
 * The caller listens and closes.
 */
export function createGateway(deps: GatewayDeps): FastifyInstance {
  const app = Fastify({
    loggerInstance: gatewayLogger(deps.log),
    logController: new LogController({ disableRequestLogging: true }),
    // Tokens are long; Fastify's own bound for a parameter is 100.
    routerOptions: { maxParamLength: 2048 },
    bodyLimit: 16 * 1024,
    connectionTimeout: 120_000,
    requestTimeout: 60_000,
    forceCloseConnections: true,
  });
  installReplies(app, deps.now ?? Date.now);
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, parse);
  const doors = new Doors(deps);
  app.get('/healthz', () => ({ status: 'ok', site: deps.site }));
  agentRoutes(app, deps, doors);
  mediaRoutes(app, deps, doors);
  imageRoutes(app, deps, doors);
  firstBootRoutes(app, deps, doors);
  return app as unknown as FastifyInstance;
}

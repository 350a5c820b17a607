import type { FastifyInstance } from 'fastify';
import type { Cloud } from './cloud.ts';

const PAGE = '/vnc_lite.html';

/** Where a browser sees the console of a server or of a node. */
export const consoleUrl = (cloud: Cloud, id: string): string =>
  `${cloud.url()}${PAGE}?path=${encodeURIComponent(`?token=${id}`)}`;

/** The page of the proxy for consoles. */
export function consoleRoutes(app: FastifyInstance): void {
  app.get(PAGE, (_request, reply) =>
    reply
      .type('text/html')
      .send('<!DOCTYPE html>\n<html><head><title>noVNC</title></head><body></body></html>\n'),
  );
}

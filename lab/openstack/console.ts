import { createServer } from 'node:https';
import type { Identity } from '../certificates.ts';
import { doorOf, Listening } from '../listening.ts';
import type { Cloud } from './cloud.ts';

const PAGE = '/vnc_lite.html';
const HTML = '<!DOCTYPE html>\n<html><head><title>noVNC</title></head><body></body></html>\n';

/** Where a browser sees the console of a server or of a node. */
export const consoleUrl = (cloud: Cloud, id: string): string =>
  `${cloud.consoles()}?path=${encodeURIComponent(`?token=${id}`)}`;

/** The proxy for consoles: a program of its own, at a port of its own. */
export interface ConsoleProxy {
  /** The page that it shows consoles on. */
  url(): string;
  listen(host: string, port: number): Promise<void>;
  /** To be called when it may have to listen, or to stop. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

export function consoleProxy(identity: Identity, wanted: () => boolean): ConsoleProxy {
  const server = createServer({ ...identity, minVersion: 'TLSv1.2' }, (request, response) => {
    const found = request.url?.replace(/\?.*$/, '') === PAGE;
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/html' }).end(found ? HTML : '');
  });
  let at = { host: '', port: 0 };
  const listening = new Listening([doorOf(server, () => at, wanted)]);
  return {
    url: () => `https://${at.host}:${at.port}${PAGE}`,
    listen(host, port) {
      at = { host, port };
      return listening.start();
    },
    follow: () => listening.follow(),
    close: () => listening.stop(),
  };
}

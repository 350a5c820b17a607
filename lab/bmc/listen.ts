import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Identity } from '../certificates.ts';
import type { Server } from '../server.ts';
import { redfishApp, type Bmc } from './app.ts';
import { Gate } from './sessions.ts';

const RESTART_MS = 5000;
const SLOW_RESTART_MS = 60_000;
const owners = new WeakMap<IncomingMessage, Bmc>();

/** The HTTP application that all BMCs of a lab share. */
export async function sharedRedfishApp(): Promise<FastifyInstance> {
  const app = redfishApp((request) => owners.get(request)!);
  await app.ready();
  return app;
}

export interface ListeningBmc {
  close(): Promise<void>;
}

/** Opens the BMC of one server on its own port, with its own certificate. */
export async function listenBmc(
  app: FastifyInstance,
  server: Server,
  identity: Identity,
  host: string,
  port: number,
): Promise<ListeningBmc> {
  let downUntil = 0;
  const bmc: Bmc = {
    server,
    gate: new Gate(server),
    restart() {
      const slow = server.faults.take('bmcSlowToReturn');
      downUntil = Date.now() + (slow ? SLOW_RESTART_MS : RESTART_MS) / server.speed;
      server.change({ sessions: [] });
      server.log.append('bmc-restart');
    },
  };
  server.onBmcRestart(() => bmc.restart());
  const listener = https.createServer({ ...identity, minVersion: 'TLSv1.2' }, (request, response) => {
    if (Date.now() < downUntil) {
      request.socket.destroy();
      return;
    }
    owners.set(request, bmc);
    app.routing(request, response);
  });
  listener.on('connection', (socket: Socket) => {
    if (Date.now() < downUntil || server.faults.take('bmcDown')) socket.destroy();
  });
  await new Promise<void>((done, failed) => {
    listener.once('error', failed);
    listener.listen(port, host, () => {
      listener.removeListener('error', failed);
      done();
    });
  });
  return {
    close: () =>
      new Promise((done) => {
        listener.close(() => done());
        listener.closeAllConnections();
      }),
  };
}

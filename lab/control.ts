import Fastify, { type FastifyInstance } from 'fastify';
import { FAULT_SWITCHES } from './fault-switches.ts';
import type { Faults } from './faults.ts';
import { redactUrl } from './redact.ts';
import type { Server } from './server.ts';

/** What the control API says about a server. */
export interface ServerView {
  readonly name: string;
  readonly bmc: string;
  readonly server: Server;
}

/** The control API: what really is in the lab, and the switches that make it misbehave. */
export function controlApp(
  servers: ReadonlyMap<string, ServerView>,
  services: ReadonlyMap<string, Faults> = new Map(),
): FastifyInstance {
  const app = Fastify();
  const named = (request: { params: unknown }): ServerView => {
    const { name } = request.params as { name: string };
    const found = servers.get(name);
    if (found === undefined)
      throw Object.assign(new Error(`there is no server ${name}`), { statusCode: 404 });
    return found;
  };
  const service = (request: { params: unknown }): Faults => {
    const { name } = request.params as { name: string };
    const found = services.get(name);
    if (found === undefined)
      throw Object.assign(new Error(`there is no service ${name}`), { statusCode: 404 });
    return found;
  };
  app.get('/healthz', () => ({ ok: true }));
  app.get('/faults', () => ({ switches: FAULT_SWITCHES }));
  app.get('/servers', () => ({ servers: [...servers.values()].map(summary) }));
  app.get('/servers/:name', (request) => details(named(request)));
  app.get('/servers/:name/log', (request) => {
    const { after = '0' } = request.query as { after?: string };
    const entries = named(request).server.log.entries();
    return { entries: entries.filter((entry) => entry.seq > Number(after)) };
  });
  app.get('/servers/:name/faults', (request) => ({ faults: named(request).server.faults.values() }));
  app.put('/servers/:name/faults', async (request, reply) => {
    const { faults } = named(request).server;
    const wrong = faults.set(request.body);
    return wrong === undefined ? { faults: faults.values() } : reply.code(400).send({ message: wrong });
  });
  app.get('/services/:name/faults', (request) => ({ faults: service(request).values() }));
  app.put('/services/:name/faults', async (request, reply) => {
    const faults = service(request);
    const wrong = faults.set(request.body);
    return wrong === undefined ? { faults: faults.values() } : reply.code(400).send({ message: wrong });
  });
  app.delete('/services/:name/faults', (request) => {
    service(request).clear();
    return { faults: {} };
  });
  // As if somebody had brought other firmware to the server.
  app.put('/servers/:name/firmware', (request) => {
    const { server } = named(request);
    const firmware = { ...server.state.firmware, ...(request.body as Record<string, string>) };
    server.change({ firmware, stagedFirmware: {}, biosFlip: null, nicAfterUpdate: null, tasks: [] });
    return { firmware };
  });
  app.delete('/servers/:name/faults', (request) => {
    const { faults } = named(request).server;
    faults.clear();
    return { faults: faults.values() };
  });
  return app;
}

function summary({ name, bmc, server }: ServerView): Record<string, unknown> {
  const { power, override, media, running, faults } = server.state;
  return {
    name,
    bmc,
    power,
    running: power === 'On' && running !== null ? { from: running.from } : null,
    override,
    media: Object.fromEntries(
      Object.entries(media).map(([slot, { inserted, image }]) => [
        slot,
        { inserted, image: image === null ? null : redactUrl(image) },
      ]),
    ),
    faults,
  };
}

function details(view: ServerView): Record<string, unknown> {
  const { hardware, disks, state } = view.server;
  return {
    ...summary(view),
    hardware,
    bios: state.bios,
    firmware: state.firmware,
    stagedFirmware: state.stagedFirmware,
    tpm: state.tpm,
    sessions: state.sessions.length,
    disks: hardware.disks.map((disk) => ({ ...disk, ...disks.get(disk.serial) })),
  };
}

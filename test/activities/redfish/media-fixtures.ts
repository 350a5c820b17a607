import { findSystem } from '../../../activities/redfish/service.ts';
import { opened } from './fixtures.ts';
import { CD, SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

export const OURS = 'https://gw.example/media/';
export const ISO = `${OURS}tok-2/deploy.iso`;
export const OLD = `${OURS}tok-1/deploy.iso`;
export const FOREIGN = 'http://elsewhere.example/a/secret/rescue.iso';
export const INSERT = `${CD}/Actions/VirtualMedia.InsertMedia`;
export const EJECT = `${CD}/Actions/VirtualMedia.EjectMedia`;
export const quick = { ours: [OURS], watchMs: 20, pollMs: 2, retryAfterMs: 5 };
export const DVD = `${SYSTEM}/VirtualMedia/2`;

export async function start(): Promise<
  Awaited<ReturnType<typeof opened>> & { system: Awaited<ReturnType<typeof findSystem>> }
> {
  const { server, bmc } = await opened();
  return { server, bmc, system: await findSystem(bmc, SYSTEM) };
}

/** A second drive, under the system. */
export async function withDvd(over: Record<string, unknown> = {}): ReturnType<typeof start> {
  const { server, bmc } = await start();
  server.patch(SYSTEM, { VirtualMedia: { '@odata.id': `${SYSTEM}/VirtualMedia` } });
  server.collect(`${SYSTEM}/VirtualMedia`, [DVD]);
  server.put(DVD, {
    MediaTypes: ['DVD'],
    Inserted: false,
    Actions: {
      '#VirtualMedia.InsertMedia': { target: `${DVD}/Insert` },
      '#VirtualMedia.EjectMedia': { target: `${DVD}/Eject` },
    },
    ...over,
  });
  server.on('POST', `${DVD}/Insert`, (call) => {
    server.insert(DVD, (call.body as { Image: string }).Image);
    return { status: 204 };
  });
  return { server, bmc, system: await findSystem(bmc, SYSTEM) };
}

export const bodies = (server: ScriptedBmc, path = INSERT): unknown[] =>
  server.asked('POST', path).map((c) => c.body);

import { afterEach } from 'vitest';
import { inspectSystem } from '../../../../activities/redfish/inspect.ts';
import { forgetMemory } from '../../../../activities/redfish/memory.ts';
import { findSystem } from '../../../../activities/redfish/service.ts';
import { closeAllBmcs, openBmc, type Bmc } from '../../../../activities/redfish/transport.ts';
import type { Inspection } from '../../../../core/redfish/inspection.ts';
import type { Tree } from './payloads.ts';
import { PayloadServer, type Missing } from './server.ts';

const started: PayloadServer[] = [];

afterEach(async () => {
  await closeAllBmcs();
  forgetMemory();
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

/** A tree that is served, and a client of it. */
export async function served(
  tree: Tree,
  missing?: Missing,
  auth: 'basic' | 'session' = 'session',
): Promise<{ server: PayloadServer; bmc: Bmc }> {
  const server = await new PayloadServer(tree, missing).start();
  started.push(server);
  return { server, bmc: openBmc(server.endpoint({ auth })) };
}

/** What an inspection is expected to say; what could not be read by its parts, in any order. */
export type Expected = Omit<Inspection, 'unread' | 'requests'> & { readonly unread: readonly string[] };

/** Of a machine of which only the system itself was captured. */
export const NOTHING_ELSE = {
  gpus: [],
  nics: [],
  macs: [],
  neighbours: [],
  controllers: [],
  drives: [],
  virtualMedia: [],
  firmware: [],
  managers: [],
  chassis: [],
} as const;

/** What the inspection of a served tree says, and why parts of it could not be read. */
export async function inspected(
  tree: Tree,
  missing?: Missing,
  system?: string,
): Promise<{ found: Expected; why: { [part: string]: string }; server: PayloadServer }> {
  const { server, bmc } = await served(tree, missing);
  const { requests: _, unread, ...rest } = await inspectSystem(bmc, await findSystem(bmc, system));
  return {
    found: { ...rest, unread: unread.map(({ part }) => part).toSorted() },
    why: Object.fromEntries(unread.map(({ part, why }) => [part, why])),
    server,
  };
}

/** The tree with other fields in one body; a field that is undefined is taken out. */
export const changed = (tree: Tree, path: string, fields: { readonly [key: string]: unknown }): Tree =>
  new Map(tree).set(path, JSON.parse(JSON.stringify({ ...(tree.get(path) as object), ...fields })));

import { RackwrightError } from '../../../../core/errors/failure.ts';
import type { Json } from '../../../../core/json.ts';
import { shownPort } from '../../../../core/openstack/left.ts';
import { field, items, text } from '../../../../core/openstack/read.ts';
import type { CheckFunction } from '../../check.ts';
import { withOpenStack } from '../../openstack/session.ts';
import { noServer, result } from '../server.ts';
import { creationWords, hypervisorOf, markOf, nodeNamed, serversOf } from './cloud.ts';
import { allocationsOf, portsOfServer } from './left.ts';

/** Looks at one thing after the other: what cannot be read does not keep the rest from being kept. */
function attempts() {
  const unread: RackwrightError[] = [];
  const attempt = async (look: () => Promise<unknown>): Promise<Json> => {
    try {
      return ((await look()) ?? null) as Json;
    } catch (error) {
      if (!(error instanceof RackwrightError)) throw error;
      unread.push(error);
      return { unread: `${error.failure.code}: ${error.failure.message}` };
    }
  };
  return { unread, attempt };
}

/** Keeps what there is before anything is taken back. What of it cannot be read is an error, once the rest is kept. */
export const statesCaptured: CheckFunction = {
  skip: noServer,
  run: (context) =>
    withOpenStack(context, async (cloud) => {
      const name = context.inventory.acceptance?.node;
      if (name === undefined) return result('skipped', 'no node is dedicated');
      const { unread, attempt } = attempts();
      const servers = await serversOf(cloud, markOf(context));
      const node = await nodeNamed(cloud, name);
      const ofEach = (look: (id: string) => Promise<unknown>): Promise<Json> =>
        attempt(async () => {
          const each = servers.map(async ({ read: { id } }) => [id, await look(id)] as const);
          return Object.fromEntries(await Promise.all(each));
        });
      const evidence = await context.evidence(name, {
        asked: 'servers, node, ports, allocations and services, before the clean-up',
        answer: {
          ids: servers.map(({ read }) => read.id),
          servers: servers.map(({ shown }) => shown),
          events: await ofEach((id) => creationWords(cloud, id)),
          node: node?.shown ?? null,
          hypervisor: node ? await attempt(() => hypervisorOf(cloud, node.read.uuid)) : null,
          ports: await ofEach(async (id) => (await portsOfServer(cloud, id)).map(shownPort)),
          allocations: await ofEach((id) => allocationsOf(cloud, id)),
          services: await attempt(async () =>
            items(field(await cloud.json('compute', '/v2.1/os-services'), 'services')).map(shownService),
          ),
        },
      });
      if (unread[0]) throw unread[0];
      return result('pass', 'server, node, ports, allocations and services', { evidence: [evidence] });
    }),
};

const shownService = (service: unknown): { [name: string]: string } =>
  Object.fromEntries(
    ['binary', 'host', 'status', 'state', 'updated_at'].map((name) => [name, text(field(service, name))]),
  );

import type { Json } from '../../../../core/json.ts';
import { readBareNode, shownNode, type BareNode } from '../../../../core/openstack/bare-node.ts';
import { readHypervisor, type Hypervisor } from '../../../../core/openstack/build.ts';
import {
  candidatesQuery,
  readCandidates,
  readFlavor,
  type Flavor,
} from '../../../../core/openstack/flavors.ts';
import { fail } from '../../../../core/errors/failure.ts';
import { field, items, text } from '../../../../core/openstack/read.ts';
import {
  eventWords,
  isMarked,
  readServer,
  shownServer,
  type CloudServer,
  type Mark,
} from '../../../../core/openstack/servers.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import type { CheckContext } from '../../check.ts';
import { requestIdOf } from '../server.ts';

const of = encodeURIComponent;

/** What the server of this run of the gate is called and marked with: the same in each attempt. */
export const markOf = (context: CheckContext, run?: number): Mark => ({
  name: `rackwright-${requestIdOf(context, 'server', run)}`,
  site: context.input.site,
});

/** The marks of this run of the gate, and of those before it: their clean-up may have failed. */
export const marksOf = (context: CheckContext): Mark[] =>
  Array.from({ length: context.input.run }, (_, before) => markOf(context, before + 1));

/** A thing as the cloud shows it, and as it is read. */
export interface Seen<T> {
  readonly read: T;
  readonly shown: Json;
}

/** The servers that this run of the gate has asked for, the oldest first: more than one where an answer was lost. */
export async function serversOf(cloud: OpenStack, mark: Mark): Promise<readonly Seen<CloudServer>[]> {
  const path = `/v2.1/servers/detail?name=${of(mark.name)}`;
  const found = (await cloud.list('compute', path, 'servers')).flatMap((each) => {
    const read = readServer(each);
    return read && isMarked(read, mark) ? [{ read, shown: shownServer(each) as Json }] : [];
  });
  return found.toSorted((a, b) => (a.read.created < b.read.created ? -1 : 1));
}

/** One server by its id; undefined where it is gone. Throws where Nova cannot say more of it than that it is there. */
export async function serverById(cloud: OpenStack, id: string): Promise<CloudServer | undefined> {
  const answer = await cloud.find('compute', `/v2.1/servers/${of(id)}`);
  const server = readServer(field(answer, 'server'));
  if (answer === undefined || server) return server;
  throw fail('OPENSTACK_UNAVAILABLE', `Nova has server ${id}, and cannot show it: its cell does not answer.`);
}

/** Throws where the user of the contract is not shown where a server is: then nothing of it can be told. */
export function refuseHidden({ id, hypervisor }: CloudServer): void {
  if (hypervisor !== undefined) return;
  throw fail(
    'OPENSTACK_FORBIDDEN',
    `Nova does not show the user of the contract on which node server ${id} is (OS-EXT-SRV-ATTR:hypervisor_hostname).`,
  );
}

/** The node of this name in Ironic; undefined where there is none. */
export async function nodeNamed(cloud: OpenStack, name: string): Promise<Seen<BareNode> | undefined> {
  const answer = await cloud.find('baremetal', `/v1/nodes/${of(name)}`);
  const read = readBareNode(answer);
  return read && { read, shown: shownNode(answer) as Json };
}

/** That a node is not found tells nothing to whom Ironic shows none at all: it hides what one may not see. */
export async function refuseBlind(cloud: OpenStack, name: string): Promise<void> {
  const seen = items(field(await cloud.json('baremetal', '/v1/nodes?limit=1'), 'nodes'));
  if (seen.length > 0) return;
  throw fail(
    'OPENSTACK_FORBIDDEN',
    `Ironic shows the user of the contract no node at all: whether it has ${name} is not told.`,
  );
}

/** The node as Nova has it; undefined where no compute service does. */
export async function hypervisorOf(cloud: OpenStack, uuid: string): Promise<Hypervisor | undefined> {
  const path = `/v2.1/os-hypervisors/detail?hypervisor_hostname_pattern=${of(uuid)}`;
  const found = items(field(await cloud.find('compute', path), 'hypervisors'));
  const own = found.find((each) => text(field(each, 'hypervisor_hostname')) === uuid);
  return own === undefined ? undefined : readHypervisor(own);
}

/** The flavor of this name, or of this id; undefined where there is none that the user sees. */
export async function flavorNamed(cloud: OpenStack, name: string): Promise<Flavor | undefined> {
  const found = (await cloud.list('compute', '/v2.1/flavors/detail', 'flavors')).flatMap(
    (each) => readFlavor(each) ?? [],
  );
  return found.find((each) => each.name === name) ?? found.find(({ id }) => id === name);
}

/** Which providers Placement would give a server of the flavor. */
export const candidatesOf = async (cloud: OpenStack, flavor: Flavor): Promise<readonly string[]> =>
  readCandidates(await cloud.json('placement', candidatesQuery(flavor)));

/** What the events of the server's creation say of its failure. */
export async function creationWords(cloud: OpenStack, id: string): Promise<string> {
  const path = `/v2.1/servers/${of(id)}/os-instance-actions`;
  const actions = items(field(await cloud.find('compute', path), 'instanceActions'));
  const created = actions.find((each) => text(field(each, 'action')) === 'create');
  if (created === undefined) return '';
  const request = text(field(created, 'request_id'));
  return eventWords(field(await cloud.find('compute', `${path}/${of(request)}`), 'instanceAction'));
}

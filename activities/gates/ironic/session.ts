import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { RackwrightError } from '../../../core/errors/failure.ts';
import { readServedNode, type ServedNode } from '../../../core/ironic/service.ts';
import { field, items, text } from '../../../core/openstack/read.ts';
import { withIronic } from '../../drivers/ironic/session.ts';
import type { IronicClient } from '../../ironic/client.ts';
import { answerInvalid } from '../../openstack/errors.ts';
import type { OpenStack } from '../../openstack/client.ts';
import type { CheckContext } from '../check.ts';
import { withOpenStack } from '../openstack/session.ts';

/** Ironic, whether it is a service of a cloud or stands alone. */
export interface BareMetal {
  /** Its address. */
  readonly where: string;
  /** Whom the version and policy of the API are answered to. */
  read(path: string): Promise<unknown>;
  /** As `read`; undefined where the answer is 404. */
  find(path: string): Promise<unknown>;
  /** All of a collection, page by page. */
  list(path: string, name: string): Promise<readonly unknown[]>;
}

export interface Ways {
  readonly ironic: BareMetal;
  /** Left out where Ironic stands alone. */
  readonly cloud?: OpenStack;
}

const MAX_PAGES = 200;

/** Whether Ironic is asked as a service of the cloud; else by `openstack.ironic`. */
export const ofCloud = ({ openstack }: Inventory): boolean =>
  openstack?.authUrl !== undefined && (openstack.services?.includes('baremetal') ?? true);

/** Why there is no Ironic to ask; undefined: the contract names one. */
export const withoutIronic = (inventory: Inventory): string | undefined =>
  ofCloud(inventory) || inventory.openstack?.ironic !== undefined
    ? undefined
    : 'the contract names neither a cloud with Ironic (`openstack.authUrl`) nor `openstack.ironic`';

/** Why there is nothing that the cloud beside Ironic could be asked. */
export const withoutCloud = (inventory: Inventory): string | undefined =>
  withoutIronic(inventory) ?? (ofCloud(inventory) ? undefined : 'Ironic stands alone, without a cloud');

/** Runs with Ironic, as the contract has it. */
export async function withBareMetal<T>(context: CheckContext, run: (ways: Ways) => Promise<T>): Promise<T> {
  if (!ofCloud(context.inventory)) {
    return withIronic(context, ({ ironic }) =>
      run({ ironic: alone(ironic, context.inventory.openstack?.ironic?.url ?? '') }),
    );
  }
  return withOpenStack(context, async (cloud) => {
    const { url } = await cloud.endpoint('baremetal');
    const ironic: BareMetal = {
      where: url,
      read: (path) => cloud.json('baremetal', path),
      find: (path) => cloud.find('baremetal', path),
      list: (path, name) => cloud.list('baremetal', path, name),
    };
    return run({ ironic, cloud });
  });
}

const alone = (client: IronicClient, where: string): BareMetal => ({
  where,
  read: (path) => (path === '/' ? client.root() : client.read(path)),
  async find(path) {
    try {
      return await client.read(path);
    } catch (error) {
      if (error instanceof RackwrightError && error.failure.details?.['status'] === 404) return undefined;
      throw error;
    }
  },
  async list(path, name) {
    const found: unknown[] = [];
    let next: string | undefined = path;
    for (let page = 0; next !== undefined; page++) {
      const asked = { service: 'baremetal', method: 'GET', path } as const;
      if (page >= MAX_PAGES) throw answerInvalid(asked, `it has more than ${MAX_PAGES} pages`);
      const body: unknown = await client.read(next);
      if (!Array.isArray(field(body, name))) throw answerInvalid(asked, `it has no list \`${name}\``);
      found.push(...items(field(body, name)));
      // Ironic names the page with whatever host it believes to have.
      const query: string | undefined = /\?(.*)$/.exec(text(field(body, 'next')))?.[1];
      next = query === undefined ? undefined : `${path.split('?')[0]}?${query}`;
    }
    return found;
  },
});

/** A node that the contract is about, by its name or UUID in Ironic. */
export interface NamedNode {
  readonly name: string;
  /** Whether it has to be in Ironic; a node of the contract comes there when it is enrolled. */
  readonly required: boolean;
}

/** The nodes that the contract is about, each once. */
export function namedNodes(inventory: Inventory): NamedNode[] {
  const { acceptance, openstack, nodes } = inventory;
  const carried = nodes
    .filter(({ driver, retired }) => driver === 'ironic' && !retired)
    .map(({ name }) => name);
  const dedicated = acceptance?.node;
  const required = new Set(openstack?.bareMetal?.nodes ?? []);
  if (dedicated !== undefined && (ofCloud(inventory) || carried.includes(dedicated))) required.add(dedicated);
  return [...new Set([...required, ...carried])].map((name) => ({ name, required: required.has(name) }));
}

/** Why there is no node to look at. */
export const withoutNodes = (inventory: Inventory): string | undefined =>
  withoutIronic(inventory) ??
  (namedNodes(inventory).length === 0 ? 'the contract names no node of Ironic' : undefined);

/**
 * For nodes that are not shown: Ironic answers with 404, or an empty list, to whoever may not see them. Who may see all
 * of them may see conductors, which it refuses with 403 to others. Throws what tells that it cannot be told.
 */
export const mustSeeNodes = (ironic: BareMetal): Promise<unknown> =>
  ironic.list('/v1/conductors', 'conductors');

/** A node in Ironic, and all that it says of it; undefined where it is not there. */
export async function findServed(ironic: BareMetal, name: string): Promise<ServedNode | undefined> {
  const answer = await ironic.find(`/v1/nodes/${encodeURIComponent(name)}`);
  if (answer !== undefined) return readServedNode(answer);
  await mustSeeNodes(ironic);
  return undefined;
}

import { fail } from '../../../core/errors/failure.ts';
import { isOurs } from '../../../core/ironic/marker.ts';
import type { IronicNode } from '../../../core/ironic/node.ts';
import type { StepOutput } from '../../../core/operations.ts';
import { IronicClient } from '../../ironic/client.ts';
import { cloudCa } from '../../openstack/ca.ts';
import type { StepContext } from '../driver.ts';

/** What a step works with: the context, and Ironic as the contract reaches it. */
export interface Session {
  readonly context: StepContext;
  readonly ironic: IronicClient;
}

/** Runs with a client that is made of the contract and closed afterwards. */
export async function withIronic<C extends Pick<StepContext, 'inventory' | 'secret' | 'signal'>, T>(
  context: C,
  run: (session: { readonly context: C; readonly ironic: IronicClient }) => Promise<T>,
): Promise<T> {
  const api = context.inventory.openstack?.ironic;
  if (api === undefined) {
    throw fail(
      'CONTRACT_INVALID',
      'The inventory has no `openstack.ironic`, and the node is carried by Ironic.',
    );
  }
  const basic =
    api.auth === 'none'
      ? {}
      : { basic: { username: api.auth.username, password: await context.secret(api.auth.password) } };
  const ca = await cloudCa(context.inventory);
  const ironic = new IronicClient(
    { url: api.url, ...basic, ca },
    { signal: context.signal, ...(api.microversion === undefined ? {} : { microversion: api.microversion }) },
  );
  try {
    return await run({ context, ironic });
  } finally {
    await ironic.close();
  }
}

/** A step as the driver's table has it. */
export const step =
  (run: (session: Session) => Promise<StepOutput>) =>
  (context: StepContext): Promise<StepOutput> =>
    withIronic(context, run);

/** The node in Ironic, if it is there; somebody else's of the same name is a failure. */
export async function findNode({ context, ironic }: Session): Promise<IronicNode | undefined> {
  const { site, node: name } = context.input.ref;
  const node = await ironic.node(name);
  if (node !== undefined && !isOurs(node.extra, { site, node: name })) {
    throw fail(
      'IRONIC_NODE_FOREIGN',
      `Ironic has a node ${name} (${node.uuid}) that site ${site} did not create: its extra.rackwright does not say so.`,
      { details: { node: name, uuid: node.uuid } },
    );
  }
  return node;
}

/** The node in Ironic; that it is not there is a failure. */
export async function theNode(session: Session): Promise<IronicNode> {
  const node = await findNode(session);
  if (node !== undefined) return node;
  throw fail('IRONIC_NODE_MISSING', `Ironic has no node ${session.context.input.ref.node}.`);
}

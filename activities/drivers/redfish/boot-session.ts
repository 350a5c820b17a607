import { Context } from '@temporalio/activity';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { operationWorkflowId } from '../../../core/names.ts';
import type { GatewayAccess } from '../../../core/operations.ts';
import { gatewayUrlOf, mediaPrefix, mediaUrl } from '../../agent/urls.ts';
import type { StepContext } from '../driver.ts';

/** How far a change has come that takes several attempts; for the life of the process. */
export class AttemptMemory<T> {
  readonly #known = new Map<string, T>();
  readonly #most = 1024;

  get(context: StepContext): T | undefined {
    return this.#known.get(keyOf(context));
  }

  set(context: StepContext, value: T): void {
    this.#known.set(keyOf(context), value);
    if (this.#known.size > this.#most) this.#known.delete(this.#known.keys().next().value!);
  }

  forget(context: StepContext): void {
    this.#known.delete(keyOf(context));
  }
}

const keyOf = ({ input: { ref, step, window } }: StepContext): string =>
  [ref.site, ref.node, ref.requestId, ref.generation, window.epoch, step].join('/');

/** Which attempt of the step's activity this is; 1 where no activity runs. */
export function attemptOf(): number {
  try {
    return Context.current().info.attempt;
  } catch {
    return 1;
  }
}

/** The deploy media of this boot, and what tells any media of ours. */
export function mediaOf({ inventory, input, site }: StepContext): { url: string; ours: string[] } {
  const door = { tokens: site.tokens, gatewayUrl: gatewayUrlOf(inventory, 'bmc') };
  return {
    url: mediaUrl(door, input.ref, input.window),
    ours: oursIn(inventory),
  };
}

/** What every media URL of ours begins with; nothing where the contract has no gateway. */
export const mediaOurs = ({ inventory }: Pick<StepContext, 'inventory'>): string[] =>
  inventory.media === undefined ? [] : oursIn(inventory);

/** An operation before this one may have used the other address. */
const oursIn = (inventory: Inventory): string[] =>
  [...new Set([gatewayUrlOf(inventory, 'bmc'), gatewayUrlOf(inventory, 'agent')])].map(mediaPrefix);

const ASK_MS = 5_000;

/**
 * Whether the agent of this boot has asked the gateway for its node already: then the machine has been
 * booted from our media, whatever this process remembers. Unknown counts as no.
 */
export async function agentWasSeen({ input, site }: StepContext): Promise<boolean> {
  if (input.agent !== null) return true;
  const { ref, window } = input;
  const id = operationWorkflowId(ref.site, ref.node, ref.requestId);
  try {
    const access = await site.client.withDeadline(Date.now() + ASK_MS, () =>
      site.client.workflow.getHandle(id).query<GatewayAccess>('access'),
    );
    return access.window.epoch === window.epoch && !access.mediaOpen;
  } catch {
    return false;
  }
}

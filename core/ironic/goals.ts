import type { ProvisionTarget } from './states.ts';
import { stateKind } from './states.ts';

/** Where a step wants the node in Ironic to be. */
export interface Goal {
  readonly what: string;
  /** The states that it has been reached in. */
  readonly reached: readonly string[];
  /**
   * The last request on the way, where being in a reached state is not enough: the node must have come
   * there by this request of this very step.
   */
  readonly by?: ProvisionTarget;
  /** What to ask for in which state. */
  readonly asks: { readonly [state: string]: ProvisionTarget };
}

/** The goals of the driver's steps, as data: Ironic's own way from each state. */
export const GOALS = {
  manageable: {
    what: 'manageable',
    reached: ['manageable'],
    asks: {
      enroll: 'manage',
      available: 'manage',
      'clean failed': 'manage',
      'inspect failed': 'manage',
      'adopt failed': 'manage',
    },
  },
  inspected: {
    what: 'inspected',
    reached: ['manageable'],
    by: 'inspect',
    asks: { manageable: 'inspect', 'inspect failed': 'inspect' },
  },
  cleaned: {
    what: 'cleaned',
    reached: ['manageable'],
    by: 'clean',
    asks: { manageable: 'clean', 'clean failed': 'manage', 'inspect failed': 'manage' },
  },
  available: {
    what: 'available',
    reached: ['available'],
    asks: { manageable: 'provide', 'clean failed': 'manage', 'inspect failed': 'manage' },
  },
  deployed: {
    what: 'deployed',
    reached: ['active'],
    by: 'active',
    asks: { available: 'active', 'deploy failed': 'active' },
  },
  rebuilt: {
    what: 'rebuilt',
    reached: ['active'],
    by: 'rebuild',
    asks: { active: 'rebuild', 'deploy failed': 'rebuild', error: 'rebuild' },
  },
  undeployed: {
    what: 'without an instance',
    reached: ['enroll', 'manageable', 'available', 'clean failed', 'inspect failed', 'adopt failed'],
    asks: {
      active: 'deleted',
      'deploy failed': 'deleted',
      'wait call-back': 'deleted',
      'deploy hold': 'abort',
      error: 'deleted',
      rescue: 'deleted',
      'rescue wait': 'deleted',
      'rescue failed': 'deleted',
      'unrescue failed': 'deleted',
      'service failed': 'deleted',
    },
  },
} as const satisfies Record<string, Goal>;

/** What this step has already asked of Ironic, read from its marker on the node. */
export interface Asked {
  readonly target: ProvisionTarget;
  /** Whether the node has changed its state since. If not, the request never arrived. */
  readonly moved: boolean;
}

/** What to do next. */
export type Move =
  | { readonly do: 'reached' }
  | { readonly do: 'ask'; readonly target: ProvisionTarget }
  | { readonly do: 'wait'; readonly on: 'ironic' | 'agent' | 'hold' }
  | { readonly do: 'failed' }
  | { readonly do: 'refuse' };

/**
 * One look at a node: reached, ask, wait, failed, or refuse. A failed state is a failure only if our own
 * request led there and that has not been reported yet; otherwise it is where we start from.
 *
 * @param asked this step's unreported request, if there is one
 */
export function nextMove(goal: Goal, state: string, asked: Asked | undefined): Move {
  const kind = stateKind(state);
  const ours = asked !== undefined && asked.moved;
  if (ours && (kind === 'failed' || (state === 'enroll' && asked.target === 'manage')))
    return { do: 'failed' };
  const done = goal.by === undefined || (ours && asked.target === goal.by);
  if (done && goal.reached.includes(state)) return { do: 'reached' };
  if (ours && goal.by !== undefined && asked.target === goal.by && kind === 'stable') return { do: 'refuse' };
  const target = goal.asks[state];
  if (target !== undefined) return { do: 'ask', target };
  if (kind === 'working') return { do: 'wait', on: 'ironic' };
  if (kind === 'waiting') return { do: 'wait', on: 'agent' };
  if (kind === 'held') return { do: 'wait', on: 'hold' };
  return { do: 'refuse' };
}

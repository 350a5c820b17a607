/** States of Ironic's machine that it leaves by itself, because it is at work. */
const WORKING: ReadonlySet<string> = new Set([
  'verifying',
  'inspecting',
  'cleaning',
  'deploying',
  'deleting',
  'adopting',
  'rescuing',
  'unrescuing',
  'servicing',
]);

/** States in which it waits for the deploy agent. `wait call-back` is that of a deployment. */
const WAITING: ReadonlySet<string> = new Set([
  'wait call-back',
  'clean wait',
  'inspect wait',
  'rescue wait',
  'service wait',
]);

/** States in which a step holds the node until someone says otherwise. */
const HELD: ReadonlySet<string> = new Set(['deploy hold', 'clean hold', 'service hold']);

const FAILED: ReadonlySet<string> = new Set([
  'deploy failed',
  'clean failed',
  'inspect failed',
  'adopt failed',
  'rescue failed',
  'unrescue failed',
  'service failed',
  'error',
]);

/** What a provision state of Ironic is: the four kinds that matter to whoever waits for it. */
export type StateKind = 'stable' | 'working' | 'waiting' | 'held' | 'failed';

/** The kind of a provision state. An unknown one counts as work: nothing is asked of it. */
export function stateKind(state: string): StateKind {
  if (WORKING.has(state)) return 'working';
  if (WAITING.has(state)) return 'waiting';
  if (HELD.has(state)) return 'held';
  if (FAILED.has(state)) return 'failed';
  return STABLE.has(state) ? 'stable' : 'working';
}

const STABLE: ReadonlySet<string> = new Set(['enroll', 'manageable', 'available', 'active', 'rescue']);

/** Targets of `PUT /v1/nodes/{node}/states/provision`. */
export type ProvisionTarget =
  'manage' | 'inspect' | 'clean' | 'provide' | 'active' | 'rebuild' | 'deleted' | 'abort';

import { setTimeout as sleep } from 'node:timers/promises';
import { fail, notYet, type RackwrightError } from '../../../core/errors/failure.ts';
import { blame } from '../../../core/ironic/blame.ts';
import { nextMove, type Goal, type Move } from '../../../core/ironic/goals.ts';
import { askedBy, markerOf, type Marker } from '../../../core/ironic/marker.ts';
import type { IronicNode } from '../../../core/ironic/node.ts';
import { stateKind, type ProvisionTarget } from '../../../core/ironic/states.ts';
import type { JsonObject } from '../../../core/json.ts';
import { theNode, type Session } from './session.ts';
import { firstWords } from '../../../core/whole-words.ts';

/** How long one attempt watches Ironic before it hands its slot back. */
const LOOKS = 10;
const PAUSE_MS = 400;
const AGAIN_MS = 2000;
const AGENT_MS = 5000;

/** What goes along with a request: clean steps, a config drive. Made only when the request is sent. */
export type Body = (target: ProvisionTarget) => JsonObject | Promise<JsonObject>;

export interface Reached {
  readonly node: IronicNode;
  /** The request that led there, if this step sent one. */
  readonly marker: Marker | undefined;
}

/**
 * Brings the node to a goal, or says "not yet". Each request is marked on the node before it is sent, so
 * that an attempt after a crash knows its own request again and adopts it instead of sending it twice.
 */
export async function pursue(session: Session, goal: Goal, body: Body = () => ({})): Promise<Reached> {
  const { signal } = session.context;
  let node = await theNode(session);
  let move = lookAt(session, goal, node);
  for (let look = 0; look < LOOKS; look++) {
    if (move.do === 'reached') return { node, marker: ownMarker(session, node) };
    if (move.do === 'failed') throw await failed(session, goal, node);
    if (move.do === 'refuse') throw refused(goal, node);
    if (move.do === 'ask') await ask(session, node, move.target, body);
    else if (look > 0 || move.on !== 'ironic') await sleep(PAUSE_MS, undefined, { signal });
    if (move.do === 'wait' && move.on !== 'ironic') break;
    node = await theNode(session);
    move = lookAt(session, goal, node);
  }
  if (move.do === 'reached') return { node, marker: ownMarker(session, node) };
  throw waiting(goal, node, move);
}

const ownMarker = ({ context: { input } }: Session, node: IronicNode): Marker | undefined =>
  markerOf(node.extra, { requestId: input.ref.requestId, step: input.step });

const lookAt = (session: Session, goal: Goal, node: IronicNode): Move =>
  // A conductor that holds the lock is at work, whatever the state says.
  node.reservation !== null && stateKind(node.provisionState) !== 'waiting'
    ? { do: 'wait', on: 'ironic' }
    : nextMove(goal, node.provisionState, askedBy(ownMarker(session, node), node.provisionUpdatedAt));

async function ask(session: Session, node: IronicNode, target: ProvisionTarget, body: Body): Promise<void> {
  const { ironic, context } = session;
  await endOwnMaintenance(session, node);
  const more = await body(target);
  // While it waits for its agent, Ironic lets no one write to the node; what may be asked then may be asked twice.
  if (stateKind(node.provisionState) === 'stable' || stateKind(node.provisionState) === 'failed') {
    await mark(session, node, {
      requestId: context.input.ref.requestId,
      step: context.input.step,
      target,
      since: node.provisionUpdatedAt,
    });
  }
  await ironic.provision(node.uuid, target, more);
}

/** Writes the marker of this step's request on the node. */
export async function mark({ ironic }: Session, node: IronicNode, marker: Marker): Promise<void> {
  const value = { ...marker } as unknown as JsonObject;
  await ironic.patchNode(node.uuid, [{ op: 'add', path: '/extra/rackwright/operation', value }]);
}

/** Marks the request as reported: whoever comes to this step again wants it sent again. */
export async function report(session: Session, node: IronicNode): Promise<void> {
  const marker = ownMarker(session, node);
  if (marker !== undefined) await mark(session, node, { ...marker, reported: true });
}

/** Ironic itself puts a node into maintenance when cleaning fails; nobody else's maintenance is ended. */
async function endOwnMaintenance({ ironic }: Session, node: IronicNode): Promise<void> {
  if (!node.maintenance) return;
  if (node.fault !== null && node.fault !== 'power failure') return ironic.endMaintenance(node.uuid);
  const why = node.fault ?? node.maintenanceReason ?? 'no reason given';
  const message = `Node ${node.name} is in maintenance in Ironic: ${why}`;
  if (node.fault === null) throw fail('IRONIC_MAINTENANCE', message);
  // Ironic ends this one by itself, once the power state can be read again.
  const over = { retryable: true, faultDomain: 'bmc' } as const;
  throw fail('IRONIC_MAINTENANCE', message, over, { retryAfterMs: AGENT_MS });
}

async function failed(session: Session, goal: Goal, node: IronicNode): Promise<RackwrightError> {
  await report(session, node);
  const said = firstWords(node.lastError ?? 'Ironic does not say why', 600);
  const unsupported = /does not support this clean step/i.test(said);
  return fail(
    unsupported ? 'IRONIC_ERASE_UNSUPPORTED' : 'IRONIC_NODE_FAILED',
    `Node ${node.name} is ${node.provisionState} in Ironic, not ${goal.what}: ${said}`,
    {
      ...(unsupported ? {} : { faultDomain: blame(node.lastError) }),
      details: {
        provisionState: node.provisionState,
        lastError: said,
        fault: node.fault,
        uuid: node.uuid,
      },
    },
  );
}

function refused(goal: Goal, node: IronicNode): RackwrightError {
  const from = [...new Set([...goal.reached, ...Object.keys(goal.asks)])].join(', ');
  return fail(
    'IRONIC_STATE_UNEXPECTED',
    `Node ${node.name} is ${node.provisionState} in Ironic and cannot become ${goal.what} from there; it should be one of: ${from}.`,
    { details: { provisionState: node.provisionState, lastError: node.lastError, uuid: node.uuid } },
  );
}

function waiting(goal: Goal, node: IronicNode, move: Move): RackwrightError {
  const where = `Node ${node.name} is ${node.provisionState} in Ironic, on its way to ${goal.what}`;
  if (move.do !== 'wait' || move.on === 'ironic')
    return notYet('IRONIC_STILL_WORKING', `${where}.`, AGAIN_MS);
  return move.on === 'agent'
    ? notYet('IRONIC_AGENT_AWAITED', `${where}: it waits for the deploy agent.`, AGENT_MS)
    : notYet(
        'IRONIC_STILL_WORKING',
        `${where}: a step holds it until someone asks Ironic to unhold it.`,
        AGENT_MS,
      );
}

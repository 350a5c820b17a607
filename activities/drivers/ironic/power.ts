import { notYet } from '../../../core/errors/failure.ts';
import { markerOf } from '../../../core/ironic/marker.ts';
import type { IronicNode } from '../../../core/ironic/node.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { mark } from './pursue.ts';
import { step, theNode, type Session } from './session.ts';
import { firstWords } from '../../../core/whole-words.ts';

const LOOKS = 10;
const PAUSE_MS = 400;
const AGAIN_MS = 3000;

/** Brings the power to a state, or says "not yet". Asks only where nothing has been asked yet. */
export async function ensurePower(session: Session, state: 'on' | 'off'): Promise<IronicNode> {
  const wanted = `power ${state}` as const;
  let asked = false;
  for (let look = 0; look < LOOKS; look++) {
    const node = await theNode(session);
    const idle = node.targetPowerState === null && node.reservation === null;
    if (idle && node.powerState === wanted) return node;
    if (idle && !asked) {
      await session.ironic.power(node.uuid, wanted);
      asked = true;
    } else await sleep(PAUSE_MS, undefined, { signal: session.context.signal });
  }
  const node = await theNode(session);
  throw notYet(
    'IRONIC_POWER_NOT_REACHED',
    `Node ${node.name} is ${node.powerState ?? 'in an unknown power state'} in Ironic, not ${wanted}: ${firstWords(node.lastError ?? 'no error given', 300)}.`,
    AGAIN_MS,
  );
}

/**
 * Sets the power state. A reboot is off, then on, with a mark between them: an attempt after a crash goes
 * on where the last one was, and the node is started exactly once.
 */
export const setPower = step(async (session) => {
  const { args, ref, step: stepId } = session.context.input;
  if (args['state'] !== 'reboot') {
    const state = args['state'] === 'on' ? 'on' : 'off';
    await ensurePower(session, state);
    return { summary: `Ironic says power ${state}.`, data: { power: state } };
  }
  const marked = markerOf((await theNode(session)).extra, { requestId: ref.requestId, step: stepId });
  if (marked === undefined) {
    const node = await ensurePower(session, 'off');
    await mark(session, node, {
      requestId: ref.requestId,
      step: stepId,
      target: 'power off',
      since: node.provisionUpdatedAt,
    });
  }
  await ensurePower(session, 'on');
  return { summary: 'Ironic says power on, after it was off.', data: { power: 'on' } };
});

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { WriteKind } from '../fault-switches.ts';
import type { Server } from '../server.ts';
import { noContent, problem, type Answer } from './messages.ts';

const CLIENT_PATIENCE_MS = 600_000;
const LATE_MS = 300;

/**
 * Carries a write out, with the faults that are switched on for its kind. `undefined` means that
 * there is no answer: the connection is gone.
 */
export async function withFaults(
  server: Server,
  kind: WriteKind,
  socket: Socket,
  effect: () => Answer | Promise<Answer>,
  pretend: () => Answer = () => noContent,
): Promise<Answer | undefined> {
  const { faults } = server;
  if (faults.take(`${kind}.status500`)) return problem(500, 'InternalError');
  if (faults.take(`${kind}.status503RetryAfter`))
    return problem(503, 'ServiceTemporarilyUnavailable', ['1'], { 'retry-after': '1' });
  if (faults.take(`${kind}.acceptNotApply`)) return pretend();
  if (faults.take(`${kind}.lostResponse`)) {
    const { status } = await effect();
    server.log.append('answer-lost', { write: kind, status });
    socket.destroy();
    return undefined;
  }
  if (faults.take(`${kind}.commitAfterTimeout`)) {
    void commitLate(server, kind, socket, effect);
    return undefined;
  }
  return effect();
}

async function commitLate(
  server: Server,
  kind: WriteKind,
  socket: Socket,
  effect: () => Answer | Promise<Answer>,
): Promise<void> {
  const patience = AbortSignal.timeout(CLIENT_PATIENCE_MS);
  if (!socket.destroyed) await once(socket, 'close', { signal: patience }).catch(() => {});
  socket.destroy();
  await sleep(LATE_MS / server.speed);
  const { status } = await effect();
  server.log.append('late-effect', { write: kind, status });
}

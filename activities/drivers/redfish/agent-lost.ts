import { formatDuration } from '../../../core/duration.ts';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import { readPower, type PowerReading } from '../../../core/redfish/power.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { onSystem } from './bmc.ts';
import { AttemptMemory } from './boot-session.ts';

const DEFAULT_SECONDS = 1_800;

interface Silence {
  /** Milliseconds of this process's clock. */
  readonly since: number;
  readonly off: boolean;
}

const silences = new AttemptMemory<Silence>();

/** The power as the BMC reads it. */
const powerNow = (context: StepContext): Promise<PowerReading | null> =>
  onSystem(context, async (_bmc, system) => readPower(system.body));

/** A BMC that hangs takes no more than this of an attempt, which has to end with what the agent's silence means. */
const POWER_MS = 15_000;

/** Whether the power reads off; not where the BMC cannot be asked: the agent is what is waited for. */
async function readsOff(context: StepContext, powerOf: typeof powerNow, boundMs: number): Promise<boolean> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(boundMs)]);
  const over = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  return (await Promise.race([powerOf({ ...context, signal }).catch(() => null), over])) === 'off';
}

/**
 * A step that waits for the agent for hours, but not for one that is gone: a machine that has restarted runs
 * whatever stands on its disk. An agent that works answers; one that was silent for as long as it may take to
 * call at all is given up, and at once where the power reads off, twice in a row.
 */
export const whileAgentLives =
  (step: StepFunction, powerOf = powerNow, powerMs = POWER_MS): StepFunction =>
  async (context) => {
    try {
      const output = await step(context);
      silences.forget(context);
      return output;
    } catch (error) {
      if (!(error instanceof RackwrightError) || error.failure.code !== 'AGENT_UNREACHABLE') {
        silences.forget(context);
        throw error;
      }
      const known = silences.get(context) ?? { since: Date.now(), off: false };
      const off = await readsOff(context, powerOf, powerMs);
      silences.set(context, { since: known.since, off });
      const seconds = (Date.now() - known.since) / 1_000;
      const powerLost = off && known.off;
      if (!powerLost && seconds < (context.inventory.timeouts?.agent ?? DEFAULT_SECONDS)) throw error;
      silences.forget(context);
      const heard = `Nothing was heard for ${formatDuration(seconds)}. ${error.message}`;
      if (powerLost) throw fail('POWER_LOST', `The power reads off while the agent worked. ${heard}`);
      throw fail('AGENT_LOST', heard);
    }
  };

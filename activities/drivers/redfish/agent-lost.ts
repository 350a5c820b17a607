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

/** The power as the BMC reads it; null where it cannot be asked: the agent is what is waited for. */
const powerNow = (context: StepContext): Promise<PowerReading | null> =>
  onSystem(context, async (_bmc, system) => readPower(system.body)).catch(() => null);

/**
 * A step that waits for the agent for hours, but not for one that is gone: a machine that has restarted runs
 * whatever stands on its disk. An agent that works answers; one that was silent for as long as it may take to
 * call at all is given up, and at once where the power reads off, twice in a row.
 */
export const whileAgentLives =
  (step: StepFunction, powerOf = powerNow): StepFunction =>
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
      const off = (await powerOf(context)) === 'off';
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

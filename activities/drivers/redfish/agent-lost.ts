import { formatDuration } from '../../../core/duration.ts';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import type { StepFunction } from '../driver.ts';
import { AttemptMemory } from './boot-session.ts';

const DEFAULT_SECONDS = 1_800;

const silences = new AttemptMemory<number>();

/**
 * A step that waits for the agent for hours, but not for one that is gone: a machine that has restarted runs
 * whatever stands on its disk. An agent that works answers; one that was silent for as long as it may take to
 * call at all is given up.
 */
export const whileAgentLives =
  (step: StepFunction): StepFunction =>
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
      const since = silences.get(context) ?? Date.now();
      silences.set(context, since);
      const seconds = (Date.now() - since) / 1_000;
      if (seconds < (context.inventory.timeouts?.agent ?? DEFAULT_SECONDS)) throw error;
      silences.forget(context);
      throw fail('AGENT_LOST', `Nothing was heard for ${formatDuration(seconds)}. ${error.message}`);
    }
  };

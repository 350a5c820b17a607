import { objectOf, textOf } from '../../../core/agent/read.ts';
import { restartShown } from '../../../core/redfish/restart.ts';
import { activeBiosJob } from '../../redfish/bios-jobs.ts';
import { convergeReboot, pendingError, type RebootProgress } from '../../redfish/power.ts';
import type { StepFunction } from '../driver.ts';
import { lookAtBios } from './bios-look.ts';
import { gracefulMs, onSystem, sentence } from './bmc.ts';
import { AttemptMemory, attemptOf } from './boot-session.ts';

const reboots = new AttemptMemory<RebootProgress>();

/**
 * Off, proven, then on: the start in which the firmware applies what waits. Made once for an operation; an
 * attempt that comes after a crash asks the world whether it was made, so as not to cut a POST short.
 */
export const restart: StepFunction = async (context) => {
  const { restart: needed, resetAt } = objectOf(context.input.data['bios']);
  if (needed !== true) return { summary: 'No setting waits for a reset: the host was not restarted.' };
  return onSystem(context, async (bmc, system) => {
    const done = (how: string) => ({ summary: sentence(how), data: { power: 'on' } });
    const progress = reboots.get(context);
    if (progress === undefined) {
      const { found, standing } = await lookAtBios(context, bmc, system);
      const waits =
        standing.waiting.length > 0 ||
        standing.missing.length > 0 ||
        (found.settings !== null && (await activeBiosJob(bmc, system, found.settings.uri)) !== null);
      if (!waits) return done('nothing waits for a reset any more: the host was restarted meanwhile');
      const made = attemptOf() > 1 ? restartShown(system.body, textOf(resetAt)) : null;
      if (made !== null) return done(`an earlier attempt made the restart: ${made}`);
    }
    const look = await convergeReboot(bmc, system.uri, progress, { gracefulMs: gracefulMs(context) });
    if (look.state === 'pending') {
      if (look.asked !== undefined) reboots.set(context, look.asked);
      throw pendingError(look);
    }
    reboots.forget(context);
    return done(look.what);
  });
};

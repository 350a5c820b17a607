import { isCleared, readBoot } from '../../../core/redfish/boot.ts';
import { objectOf } from '../../../core/agent/read.ts';
import { notYet } from '../../../core/errors/failure.ts';
import { readPower } from '../../../core/redfish/power.ts';
import { convergeBootOnce, convergeNoOverride } from '../../redfish/boot.ts';
import { convergeNoMedia } from '../../redfish/media.ts';
import { convergePower, convergeReboot, pendingError, type RebootProgress } from '../../redfish/power.ts';
import { readResource, type SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { agentOf } from './agent-steps.ts';
import { bootModeOf, gracefulMs, onSystem, reached, sentence } from './bmc.ts';
import { agentWasSeen, AttemptMemory, attemptOf, mediaOurs } from './boot-session.ts';

/** An agent that was asked to power off is forced after this. */
const AGENT_OFF_MS = 60_000;

const boots = new AttemptMemory<'on'>();
const goodbyes = new AttemptMemory<number>();
const reboots = new AttemptMemory<RebootProgress>();

/**
 * Power off, proven, then on: this starts the deploy agent. Made once for each boot: an attempt that
 * comes after a crash finds that the boot was made, and does not cut off the agent that comes up.
 */
export const bootAgent: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const done = (how: string) => ({
      summary: sentence(how),
      data: { agentBoot: { epoch: context.input.window.epoch }, power: 'on' },
    });
    if (boots.get(context) === undefined) {
      const made = await bootWasMade(context, system);
      if (made !== undefined) return done(made);
      reached(await convergePower(bmc, system.uri, 'off', { seen: system }));
      // Read again now that it is off: some firmware loses it with the power.
      reached(await convergeBootOnce(bmc, system, 'Cd', { mode: bootModeOf(context) }));
      boots.set(context, 'on');
    }
    reached(await convergePower(bmc, system.uri, 'on'));
    boots.forget(context);
    return done('the power was off and is on, from the deploy media');
  });

/** What shows that the boot of this epoch was made, by an attempt that could not say so; undefined if nothing does. */
async function bootWasMade(context: StepContext, system: SystemFound): Promise<string | undefined> {
  const { data, window } = context.input;
  if (readPower(system.body) !== 'on') return undefined;
  if (objectOf(data['agentBoot'])['epoch'] === window.epoch)
    return 'the boot was made before, and the power is on';
  if (attemptOf() === 1) return undefined;
  // Set before this step began, and gone while the power is on: the firmware has used it.
  if (isCleared(readBoot(system.body))) return 'an earlier attempt made the boot: the override was used';
  if (await agentWasSeen(context)) return 'an earlier attempt made the boot: its agent has called';
  return undefined;
}

/** Off, proven: the agent is asked first, so that it can flush and unmount; the BMC has the last word. */
export const powerOff: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const left = readPower(system.body) === 'on' ? await sayGoodbye(context, bmc, system) : undefined;
    const what = reached(await convergePower(bmc, system.uri, 'off'));
    goodbyes.forget(context);
    return { summary: sentence(left, what), data: { power: 'off' } };
  });

/** Asks the agent to power off and watches; "not yet" for as long as it is given time. */
async function sayGoodbye(context: StepContext, bmc: Bmc, system: SystemFound): Promise<string | undefined> {
  const agent = agentOf(context);
  if (agent === undefined) return undefined;
  const asked = goodbyes.get(context);
  if (asked === undefined) {
    try {
      await agent.start('standby.power_off', {});
    } catch {
      return 'the agent did not answer';
    }
    goodbyes.set(context, Date.now());
  } else if (Date.now() - asked > AGENT_OFF_MS) {
    return 'the agent did not power off in time';
  }
  for (let look = 0; look < 10; look += 1) {
    await bmc.pause(1_000);
    if (readPower((await readResource(bmc, system.uri)).body) === 'off') return 'the agent powered off';
  }
  throw notYet('POWER_NOT_REACHED', 'The agent was asked to power off, and the power is still on.', 3_000);
}

/** Stops whatever runs, gracefully if it listens. */
export const stop: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => ({
    summary: sentence(
      reached(await convergePower(bmc, system.uri, 'off', { gracefulMs: gracefulMs(context) })),
    ),
    data: { power: 'off' },
  }));

/** On from the disk: with nothing of ours in a drive, and no override before and after. */
export const bootDisk: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    if (readPower(system.body) !== 'on') {
      reached(await convergeNoMedia(bmc, system, { ours: mediaOurs(context) }));
      reached(await convergeNoOverride(bmc, system));
    }
    reached(await convergePower(bmc, system.uri, 'on'));
    const override = reached(await convergeNoOverride(bmc, system));
    return { summary: sentence('the power is on', override), data: { power: 'on' } };
  });

/** What verb `power` asks for. */
export const setPower: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const { state } = context.input.args;
    if (state === 'on' || state === 'off') {
      const options = state === 'off' ? { gracefulMs: gracefulMs(context) } : {};
      return {
        summary: sentence(reached(await convergePower(bmc, system.uri, state, options))),
        data: { power: state },
      };
    }
    const look = await convergeReboot(bmc, system.uri, reboots.get(context), {
      gracefulMs: gracefulMs(context),
    });
    if (look.state === 'pending') {
      if (look.asked !== undefined) reboots.set(context, look.asked);
      throw pendingError(look);
    }
    reboots.forget(context);
    return { summary: sentence(look.what), data: { power: 'on' } };
  });

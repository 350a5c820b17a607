import { setTimeout as sleep } from 'node:timers/promises';
import { cleanedStep, type AgentCommand } from '../../../core/agent/command.ts';
import { provesErasure, skipHints, sortDisks } from '../../../core/agent/erasure.ts';
import { objectOf, objectsOf } from '../../../core/agent/read.ts';
import { shownDisk } from '../../../core/agent/root-device.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AgentClient } from '../../agent/client.ts';
import { doOnce, run, type Once } from '../../agent/work.ts';
import type { StepContext } from '../driver.ts';
import { agentNode, agentPorts, hardwareOf } from './agent-steps.ts';
import { attemptOf } from './boot-session.ts';

/** What `erase` has the agent do: its own clean steps, each as the agent lists it. */

export type EraseMode = 'full' | 'metadata';

const STEPS = { full: 'erase_devices', metadata: 'erase_devices_metadata' } as const;
const RAID = 'delete_configuration';
/** What the agent itself brings along; a manager of a vendor may mean volumes of a RAID controller. */
const GENERIC = 'GenericHardwareManager';

/** The clean steps of an agent, and of which hardware managers. */
export interface Listed {
  readonly steps: readonly { readonly [key: string]: unknown }[];
  readonly generic: readonly { readonly [key: string]: unknown }[];
  readonly versions: unknown;
}

export async function listSteps(context: StepContext, agent: AgentClient): Promise<Listed> {
  const asked = { node: agentNode(context), ports: agentPorts(context) };
  const answer = objectOf(await run(agent, 'clean.get_clean_steps', asked));
  const byManager = objectOf(answer['clean_steps']);
  return {
    steps: Object.values(byManager).flatMap((list) => objectsOf(list)),
    generic: objectsOf(byManager[GENERIC]),
    versions: answer['hardware_manager_version'] ?? null,
  };
}

/** Whether the agent reads back what it erases. */
export const agentProves = async (context: StepContext, agent: AgentClient): Promise<boolean> =>
  provesErasure((await listSteps(context, agent)).versions);

/** Whether a command is an erase that went through. */
export const isErase = (mode: EraseMode, { status, ...command }: AgentCommand): boolean =>
  status === 'succeeded' && cleanedStep({ status, ...command }) === STEPS[mode];

/**
 * Erases once, whoever asks again: the clean step of this boot that did it, or now does.
 *
 * @param isStale whether one that went through is not good enough, so that it is done again
 */
export async function eraseOnce(
  context: StepContext,
  agent: AgentClient,
  mode: EraseMode,
  isStale: (done: AgentCommand) => boolean,
): Promise<AgentCommand> {
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: context.signal });
  const once = (step: string, what: string, params: () => Promise<object>): Once => ({
    command: 'clean.execute_clean_step',
    isOurs: (done) => cleanedStep(done) === step && !isStale(done),
    params,
    what,
    attempt: attemptOf(),
  });

  const params = async (): Promise<object> => {
    const listed = await listSteps(context, agent);
    const found = stepOf(listed.steps, STEPS[mode]);
    requireProving(context, mode, listed);
    const disks = sortDisks((await hardwareOf(agent)).disks);
    const plain = agentNode(context);
    const properties = { ...(plain['properties'] as JsonObject), skip_block_devices: skipHints(disks) };
    const rest = {
      node: { ...plain, properties },
      ports: agentPorts(context),
      clean_version: listed.versions,
    };
    if (mode === 'full' && disks.volumes.length > 0) {
      // The agent skips the members of a software RAID, and does not say so.
      const step = stepOf(listed.generic, RAID);
      const apart = async (): Promise<object> => ({ ...rest, step });
      await doOnce(agent, once(RAID, 'Taking the software RAID apart', apart), pause);
      const { volumes } = sortDisks((await hardwareOf(agent)).disks);
      if (volumes.length > 0) {
        throw fail('ERASE_FAILED', `The software RAID is still there: ${volumes.map(shownDisk).join('; ')}.`);
      }
    }
    return { ...rest, step: found };
  };

  const erase = (): Promise<AgentCommand> =>
    doOnce(agent, once(STEPS[mode], `Erasing (${mode})`, params), pause);
  const command = await erase();
  // A later attempt finds running what goes before the erase, without being told what it is.
  return cleanedStep(command) === RAID ? erase() : command;
}

function stepOf(
  steps: readonly { readonly [key: string]: unknown }[],
  name: string,
): { readonly [key: string]: unknown } {
  const found = steps.find((each) => each['step'] === name);
  if (found !== undefined) return found;
  const known = steps.map((each) => String(each['step'])).slice(0, 32);
  throw fail('ERASE_FAILED', `The agent has no clean step ${name}; it has ${known.join(', ') || 'none'}.`);
}

/** Before anything is erased: where a proof is required, the agent has to be one that proves. */
function requireProving({ inventory }: StepContext, mode: EraseMode, { versions }: Listed): void {
  if (mode === 'metadata' || inventory.erase?.proof !== 'required' || provesErasure(versions)) return;
  const managers = Object.keys(objectOf(versions)).slice(0, 16);
  throw fail(
    'ERASE_PROOF_UNAVAILABLE',
    `The contract wants every erased disk to be read back. The agent's hardware managers are: ${managers.join(', ') || 'none'}.`,
    { details: { managers } },
  );
}

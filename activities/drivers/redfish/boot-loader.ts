import { setTimeout as sleep } from 'node:timers/promises';
import {
  fallbackLoader,
  readBootLoader,
  refusalOf,
  REMOVED_ENTRIES,
} from '../../../core/agent/boot-loader.ts';
import type { AgentCommand } from '../../../core/agent/command.ts';
import { objectOf, textOf } from '../../../core/agent/read.ts';
import { fail, notYet } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import type { EvidenceRef, StepOutput } from '../../../core/operations.ts';
import type { AgentClient } from '../../agent/client.ts';
import { nodeUuid } from '../../agent/identity.ts';
import { commandFailure, finishOnce } from '../../agent/work.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { agentNode, agentPorts, hardwareThat, requireAgent } from './agent-steps.ts';
import { sentence } from './bmc.ts';
import { attemptOf } from './boot-session.ts';
import { listSteps } from './clean-steps.ts';
import { pinRootDevice } from './write-image.ts';

/** What the firmware's variables say of the disks: written when an image has been, removed when it is erased. */

const CLEAN = 'clean_uefi_nvram';
const INSTALL = 'install_bootloader';

/** Why the agent has nothing to do with boot entries; undefined where it does. */
async function withoutEntries({ node }: StepContext, agent: AgentClient): Promise<string | undefined> {
  if (node.bootMode === 'bios') return 'the node boots by BIOS, which knows no boot entries';
  const { bootMode } = await hardwareThat(agent, () => true);
  return bootMode === 'bios' ? 'the agent was booted by BIOS, and does not reach boot entries' : undefined;
}

/**
 * Has the agent write a boot entry for the loader of the image. Where only the entry cannot be written, the node
 * is started all the same: firmware looks for a loader of a certain name by itself.
 */
export const installBootloader: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const without = await withoutEntries(context, agent);
  if (without !== undefined) return { summary: sentence(without) };
  const told = await agent.commands();
  const since = told.slice(told.findLastIndex(({ name }) => name === 'prepare_image') + 1);
  if (!since.some(({ name }) => name === INSTALL) && (await findStep(context, agent)).step === undefined) {
    // No release would get past it, where the contract says which options there may be.
    return notWritten(context, `the agent has no clean step ${CLEAN}, so none could be removed again`);
  }
  const command = await install(context, agent, since);
  const evidence = await keep(context, `image.${INSTALL}`, command);
  const device = textOf(objectOf(context.input.data['imageWritten'])['device']) ?? 'the root device';
  switch (readBootLoader(command, rootUuid(context))) {
    case 'installed':
      return {
        summary: sentence(`boot entry for the loader on ${device} written, first in the boot order`),
        evidence: [evidence],
      };
    case 'no-partition':
      throw fail('IMAGE_NOT_BOOTABLE', `There is no EFI system partition on ${device}.`);
    case 'no-loader': {
      const problem = await unreachable(context, agent);
      if (problem !== undefined) return notWritten(context, problem, evidence);
      throw fail('IMAGE_NOT_BOOTABLE', `The EFI system partition on ${device} has no boot loader.`);
    }
    case 'no-entry':
      return notWritten(context, refusalOf(command.error!.message), evidence);
    case 'failed':
      throw commandFailure(command, 'Writing the boot entry');
  }
};

/** A root file system that no disk has: see `readBootLoader`. */
const rootUuid = ({ input }: StepContext): string => nodeUuid(input.ref.site, input.ref.node);

function install(
  context: StepContext,
  agent: AgentClient,
  since: readonly AgentCommand[],
): Promise<AgentCommand> {
  return finishOnce(
    agent,
    {
      command: `image.${INSTALL}`,
      // One that was done before the last write was for another loader.
      isOurs: ({ id }) => since.some((each) => each.id === id),
      params: async () => {
        // An agent that was booted since the write does not know which disk it was.
        await pinRootDevice(context, agent);
        return {
          root_uuid: rootUuid(context),
          target_boot_mode: context.node.bootMode,
          ignore_bootloader_failure: false,
        };
      },
      what: 'Writing the boot entry',
      attempt: attemptOf(),
    },
    (ms) => sleep(ms, undefined, { signal: context.signal }),
  );
}

function notWritten({ node }: StepContext, why: string, evidence?: EvidenceRef): StepOutput {
  return {
    summary: sentence(
      `no boot entry was written: ${why}`,
      `the disk starts only by ${fallbackLoader(node.architecture)}, which firmware looks for by itself`,
    ),
    evidence: evidence === undefined ? [] : [evidence],
  };
}

/** Why the agent cannot read boot entries at all, if so: it is asked to remove those that no pattern fits. */
async function unreachable(context: StepContext, agent: AgentClient): Promise<string | undefined> {
  const command = await cleanStep(context, agent, ['(?!)']);
  if (command === undefined) return 'the agent found no boot loader, or has no efibootmgr';
  if (command.status === 'succeeded') return undefined;
  return `efibootmgr of the ramdisk does not work: ${refusalOf(command.error?.message ?? '')}`;
}

/** The clean step as the agent lists it; undefined where it has none. */
async function findStep(
  context: StepContext,
  agent: AgentClient,
): Promise<{ step: { readonly [key: string]: unknown } | undefined; versions: unknown }> {
  const { steps, versions } = await listSteps(context, agent);
  return { step: steps.find((each) => each['step'] === CLEAN), versions };
}

/** Runs the clean step; undefined where the agent has none. */
async function cleanStep(
  context: StepContext,
  agent: AgentClient,
  patterns: readonly string[],
): Promise<AgentCommand | undefined> {
  const { step, versions } = await findStep(context, agent);
  if (step === undefined) return undefined;
  const asked = {
    step: { ...step, args: { match_patterns: patterns } },
    node: agentNode(context),
    ports: agentPorts(context),
    clean_version: versions,
  };
  // It may be done twice, so it is not looked for among what was done.
  const command = await agent.start('clean.execute_clean_step', asked, { wait: true });
  if (command.status === 'running') throw notYet('AGENT_COMMAND_RUNNING', `${CLEAN} goes on.`, 3_000);
  return command;
}

/**
 * Removes the boot entries that point into a partition or to a loader of Linux: nothing of it is left on the disks.
 * Others, as of the network, stay. Where it does not go, that is said: whether an entry may be there is the machine
 * type's to say, and `compare-boot`'s to judge.
 */
export const cleanNvram: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const without = await withoutEntries(context, agent);
  if (without !== undefined) return { summary: sentence(without) };
  const command = await cleanStep(context, agent, REMOVED_ENTRIES);
  if (command === undefined) {
    return {
      summary: sentence(
        `the agent has no clean step ${CLEAN}`,
        'boot entries of the systems before may still be there',
      ),
    };
  }
  const evidence = [await keep(context, `clean.execute_clean_step, ${CLEAN}`, command)];
  if (command.status === 'succeeded') {
    return {
      summary: sentence('boot entries that point into a disk are removed', 'others are as they were'),
      data: { nvramCleaned: true },
      evidence,
    };
  }
  const said = refusalOf(command.error?.message ?? 'the agent does not say why');
  return { summary: sentence(`boot entries of the systems before may still be there: ${said}`), evidence };
};

const keep = (context: StepContext, asked: string, command: AgentCommand): Promise<EvidenceRef> =>
  context.evidence('boot-entries', {
    asked,
    of: context.input.agent!.callbackUrl,
    answer: { status: command.status, error: command.error, result: command.result } as unknown as Json,
  });

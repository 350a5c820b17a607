import { setTimeout as sleep } from 'node:timers/promises';
import { cleanedStep } from '../../../core/agent/command.ts';
import type { AgentHardware } from '../../../core/agent/hardware.ts';
import { objectOf, objectsOf } from '../../../core/agent/read.ts';
import { shownDisk } from '../../../core/agent/root-device.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import type { AgentClient } from '../../agent/client.ts';
import { doOnce, run } from '../../agent/work.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { agentNode, agentPorts, hardwareOf, requireAgent } from './agent-steps.ts';
import { attemptOf } from './boot-session.ts';

const STEPS = { full: 'erase_devices', metadata: 'erase_devices_metadata' } as const;

/** Only a clean that says so erases no more than the metadata; whoever had the node is erased in full. */
const modeOf = ({ input }: StepContext): keyof typeof STEPS =>
  input.ref.kind === 'clean' && input.args['erase'] === 'metadata' ? 'metadata' : 'full';

/** Erases the disks, once, and keeps what the agent proves for each of them. */
export const erase: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const mode = modeOf(context);
  const step = STEPS[mode];
  const command = await doOnce(
    agent,
    {
      command: 'clean.execute_clean_step',
      isOurs: (done) => cleanedStep(done) === step,
      params: () => cleanParams(context, agent, step),
      what: `Erasing (${mode})`,
      attempt: attemptOf(),
    },
    (ms) => sleep(ms, undefined, { signal: context.signal }),
  );
  const hardware = await hardwareOf(agent);
  const proof = objectOf(command.result)['clean_result'] ?? null;
  const evidence = await context.evidence('erase-proof', {
    asked: `clean.execute_clean_step ${step}`,
    of: context.input.agent!.callbackUrl,
    answer: { mode, proof: proof as Json, disks: hardware.disks as unknown as Json },
  });
  if (mode === 'full') requireProof(hardware, proof);
  const names = hardware.disks.map((disk) => disk.name).join(', ');
  return {
    summary:
      mode === 'full'
        ? `Erased in full, each disk named by the agent: ${names}.`
        : `Partition tables and signatures removed from ${names}; their data is still there.`,
    data: { erased: { mode, disks: hardware.disks.map((disk) => disk.serial ?? disk.name) } },
    evidence: [evidence],
  };
};

/** What the agent wants to be told: the step as it lists it itself, and the versions it lists it for. */
async function cleanParams(context: StepContext, agent: AgentClient, step: string): Promise<object> {
  const node = agentNode(context);
  const ports = agentPorts(context);
  const listed = objectOf(await run(agent, 'clean.get_clean_steps', { node, ports }));
  const steps = Object.values(objectOf(listed['clean_steps'])).flatMap((list) => objectsOf(list));
  const found = steps.find((each) => each['step'] === step);
  if (found === undefined) {
    throw fail('ERASE_FAILED', `The agent has no clean step ${step}; it has ${names(steps)}.`);
  }
  return { step: found, node, ports, clean_version: listed['hardware_manager_version'] ?? null };
}

const names = (steps: readonly { readonly [key: string]: unknown }[]): string =>
  steps
    .map((each) => String(each['step']))
    .slice(0, 32)
    .join(', ') || 'none';

/** Every disk that is there must be among those that the agent erased, and none may be found not to be empty. */
function requireProof(hardware: AgentHardware, proof: unknown): void {
  const byDisk = objectOf(proof);
  const unproven = hardware.disks.filter(({ name }) => {
    if (!Object.hasOwn(byDisk, name)) return true;
    const { verified, nonZeroBlocks } = objectOf(byDisk[name]);
    return verified === false || (typeof nonZeroBlocks === 'number' && nonZeroBlocks > 0);
  });
  if (unproven.length === 0) return;
  throw fail('ERASE_FAILED', `Not shown to be erased: ${unproven.map(shownDisk).join('; ')}.`, {
    details: { disks: unproven.map((disk) => disk.name) },
  });
}

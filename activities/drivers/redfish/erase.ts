import {
  disksOfAll,
  judgeErasure,
  readErasure,
  shownErasure,
  sortDisks,
  unseenDrives,
  type Disks,
  type Judged,
} from '../../../core/agent/erasure.ts';
import { readHardware } from '../../../core/agent/hardware.ts';
import { objectOf } from '../../../core/agent/read.ts';
import { shownDisk } from '../../../core/agent/root-device.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import type { AgentClient } from '../../agent/client.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { hardwareOf, requireAgent } from './agent-steps.ts';
import { attemptOf } from './boot-session.ts';
import { agentProves, eraseOnce, isErase, type EraseMode } from './clean-steps.ts';

/** Only a clean that says so erases no more than the metadata; whoever had the node is erased in full. */
const modeOf = ({ input }: StepContext): EraseMode =>
  input.ref.kind === 'clean' && input.args['erase'] === 'metadata' ? 'metadata' : 'full';

/** Erases the disks, once, and keeps what the agent proves for each of them. */
export const erase: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const mode = modeOf(context);
  const stale = await staleErases(context, agent, mode);
  const command = await eraseOnce(context, agent, mode, ({ id }) => stale.includes(id));
  const proves = mode === 'full' && (await agentProves(context, agent));
  const disks = sortDisks(await everSeen(agent));
  const proof = objectOf(command.result)['clean_result'] ?? null;
  const { site, node } = context.input.ref;
  const inspected = (await context.site.inspections.read(site, node))?.look.drives ?? [];
  const unseen = unseenDrives(inspected, [...disks.erase, ...disks.leave]);
  const told = readErasure(proof);
  const judged = mode === 'full' ? judgeErasure(disks.erase, told, proves) : [];
  const evidence = await context.evidence('erase-proof', {
    asked: `clean.execute_clean_step, ${mode}`,
    of: context.input.agent!.callbackUrl,
    answer: {
      mode,
      readBack: proves,
      devices: judged.map(({ disk, told: of, problem }) => ({ disk, told: of ?? null, problem })),
      leftAlone: disks.leave,
      unseen,
      proof,
      disks: [...disks.erase, ...disks.leave, ...disks.volumes],
    } as unknown as Json,
  });
  if (mode === 'full') requireErased(judged);
  const said = mode === 'full' ? erasedInFull(judged, proves) : metadataErased(disks);
  return {
    summary: `${said}${notErased(disks, unseen)}`,
    data: { erased: { mode, proved: proves, disks: disks.erase.map((disk) => disk.serial ?? disk.name) } },
    evidence: [evidence],
  };
};

/**
 * A run of the step that finds an erase of this boot before it has asked for any goes on after a hold: one that
 * was not shown to be good then is done again, and not judged a second time.
 */
async function staleErases(context: StepContext, agent: AgentClient, mode: EraseMode): Promise<string[]> {
  if (mode === 'metadata' || attemptOf() > 1) return [];
  const done = (await agent.commands()).filter((command) => isErase(mode, command));
  const last = done.at(-1);
  if (last === undefined) return [];
  const disks = sortDisks(await everSeen(agent)).erase;
  const told = readErasure(objectOf(last.result)['clean_result']);
  const judged = judgeErasure(disks, told, await agentProves(context, agent));
  const isGood = judged.length > 0 && judged.every(({ problem }) => problem === null);
  return isGood ? [] : done.map(({ id }) => id);
}

/** Every disk that this boot of the agent ever told of: one that is gone meanwhile has not been erased. */
async function everSeen(agent: AgentClient): Promise<ReturnType<typeof disksOfAll>> {
  const told = (await agent.commands())
    .filter(({ name, status }) => name === 'get_hardware_info' && status === 'succeeded')
    .map(({ result }) => readHardware(result).disks);
  return disksOfAll([...told, (await hardwareOf(agent)).disks]);
}

/** No disk may be missing, left alone, or found not to be empty. */
function requireErased(judged: readonly Judged[]): void {
  const bad = judged.filter(({ problem }) => problem !== null);
  if (judged.length === 0) throw fail('ERASE_FAILED', 'The agent sees no disk that it could erase.');
  if (bad.length === 0) return;
  const named = bad.map(({ disk, problem }) => `${shownDisk(disk)}: ${problem}`);
  throw fail('ERASE_FAILED', `Not shown to be erased: ${named.join('; ')}.`, {
    details: {
      disks: bad.map(({ disk, told, problem }) => ({
        name: disk.name,
        serial: disk.serial,
        method: told?.method ?? null,
        problem,
      })),
    },
  });
}

function erasedInFull(judged: readonly Judged[], proves: boolean): string {
  const how = proves
    ? ''
    : ', as the agent reports and not read back, for its ramdisk has no rackwright hardware manager';
  return `Erased in full${how}: ${judged.map(shownErasure).join('; ')}.`;
}

const metadataErased = ({ erase: disks }: Disks): string =>
  `Partition tables and signatures removed from ${disks.map(({ name }) => name).join(', ')}; their data is still there.`;

const notErased = ({ leave }: Disks, unseen: readonly string[]): string =>
  [
    ...(leave.length === 0
      ? []
      : [` Left alone, being on USB: ${leave.map(({ name }) => name).join(', ')}.`]),
    ...(unseen.length === 0 ? [] : [` Not seen by the agent, and not erased: ${unseen.join(', ')}.`]),
  ].join('');

import { hardwareDifferences } from '../../../core/agent/expectations.ts';
import { readHardware, type AgentHardware } from '../../../core/agent/hardware.ts';
import { agentHints } from '../../../core/agent/root-device.ts';
import { fail, notYet } from '../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { AgentClient } from '../../agent/client.ts';
import { nodeUuid } from '../../agent/identity.ts';
import { run } from '../../agent/work.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { sentence } from './bmc.ts';

/** The agent of this boot; undefined if none has called yet. */
export function agentOf({ input, site, signal }: StepContext): AgentClient | undefined {
  const { agent, ref, window } = input;
  if (agent === null) return undefined;
  return new AgentClient({ contact: agent, token: site.tokens.agentToken(ref, window.epoch), signal });
}

/** The agent of this boot; "not yet" if none has called. */
export function requireAgent(context: StepContext): AgentClient {
  const agent = agentOf(context);
  if (agent !== undefined) return agent;
  throw notYet('AGENT_SILENT', 'No deploy agent of this boot has called yet.', 5_000);
}

export const hardwareOf = async (agent: AgentClient): Promise<AgentHardware> =>
  readHardware(await run(agent, 'poll.get_hardware_info'));

/**
 * What the agent tells of its machine. An answer that it gave before in this boot is taken if it will do,
 * since an agent that listens for LLDP takes its time; nothing fails on an old answer.
 */
export async function hardwareThat(
  agent: AgentClient,
  willDo: (hardware: AgentHardware) => boolean,
): Promise<AgentHardware> {
  const told = (await agent.commands()).findLast(
    ({ name, status }) => name === 'get_hardware_info' && status === 'succeeded',
  );
  const known = told === undefined ? undefined : readHardware(told.result);
  return known !== undefined && willDo(known) ? known : hardwareOf(agent);
}

/** The node in the words that the agent's commands want. */
export function agentNode({ node, input }: StepContext, rootDevice?: JsonObject): JsonObject {
  const root = rootDevice ?? agentHints(node.rootDevice);
  return {
    uuid: nodeUuid(input.ref.site, input.ref.node),
    properties: {
      capabilities: `boot_mode:${node.bootMode}`,
      ...(root === undefined ? {} : { root_device: root }),
    },
    instance_info: {},
    driver_internal_info: {
      // A disk erases itself where it can, and else it is overwritten, once, with zeros at the end: what is read
      // back can then be told from data. One that is read-only fails: it is not skipped without a word.
      agent_enable_ata_secure_erase: true,
      agent_enable_nvme_secure_erase: true,
      agent_continue_if_secure_erase_failed: true,
      agent_erase_devices_iterations: 1,
      agent_erase_devices_zeroize: true,
      agent_erase_skip_read_only: false,
      // Overwriting is as slow as the disk is, and a machine has many.
      disk_erasure_concurrency: 8,
      // Asked of our hardware manager: return the proof of every disk, also of one that is not empty.
      rackwright_judges_erase_proof: true,
    },
  };
}

/** The node's ports in the words of the agent's commands. */
export const agentPorts = ({ node }: StepContext): Json[] => node.ports.map(({ mac }) => ({ address: mac }));

/** The agent answers over its own certificate, and runs on this node's machine. */
export const awaitAgent: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const { version } = await agent.status();
  const { ports } = context.node;
  const macsOf = ({ interfaces }: AgentHardware): string[] =>
    interfaces.map((nic) => nic.mac).filter((mac) => mac !== null);
  const macs = macsOf(
    await hardwareThat(agent, (known) => ports.every(({ mac }) => macsOf(known).includes(mac))),
  );
  const own = ports.filter(({ mac }) => macs.includes(mac));
  if (ports.length > 0 && own.length === 0) {
    throw fail(
      'AGENT_WRONG_NODE',
      `The agent runs on a machine with ${macs.slice(0, 8).join(', ') || 'no MACs'}.`,
    );
  }
  return {
    summary: sentence(
      `deploy agent ${version ?? 'of unknown version'} answers at ${context.input.agent!.callbackUrl}`,
      ports.length === 0
        ? 'the contract names no ports to know it by'
        : `${own.length} of ${ports.length} ports seen`,
    ),
  };
};

/** What the agent sees is what the machine type promises. */
export const checkHardware: StepFunction = async (context) => {
  const agent = requireAgent(context);
  const { expect } = context.node.machineType;
  const hardware = await hardwareThat(agent, (known) => hardwareDifferences(known, expect).length === 0);
  const evidence = await context.evidence('hardware', {
    asked: 'poll.get_hardware_info',
    of: context.input.agent!.callbackUrl,
    answer: hardware as unknown as Json,
  });
  const differences = hardwareDifferences(hardware, expect);
  if (differences.length > 0) {
    throw fail('HARDWARE_MISMATCH', `The agent sees: ${differences.join('; ')}.`, {
      details: { differences },
    });
  }
  return {
    summary: sentence(
      `${hardware.disks.length} disks, ${hardware.interfaces.length} network interfaces`,
      `${hardware.cpus ?? 'unknown'} CPUs, ${hardware.memoryMiB ?? 'unknown'} MiB`,
      hardware.gpus === null ? 'the agent does not tell GPUs' : `${hardware.gpus.length} GPUs`,
    ),
    evidence: [evidence],
  };
};

/** Everything that was written is on the disks. */
export const sync: StepFunction = async (context) => {
  await run(requireAgent(context), 'standby.sync');
  return { summary: 'Disks flushed.' };
};

import { AgentError, VersionMismatch } from './commands.ts';
import { eraseMetadata, sameVersion, versionsOf } from './erase.ts';
import type { AgentOptions } from './options.ts';
import { prepareImage } from './write-image.ts';

/** Steps of a deploy that run in the agent. All wait to be asked for: their priority is 0. */
const STEPS = ['erase_devices_metadata', 'write_image'] as const;

export const deploySteps = (options: AgentOptions): Record<string, unknown> => ({
  deploy_steps: {
    GenericHardwareManager: STEPS.map((step) => ({
      step,
      priority: 0,
      interface: 'deploy',
      reboot_requested: false,
    })),
  },
  hardware_manager_version: versionsOf(options),
});

/** Runs one step, and says which it was: by that the conductor knows its own step again. */
export async function executeDeployStep(
  options: AgentOptions,
  signal: AbortSignal,
  hints: () => Promise<Record<string, unknown> | undefined>,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const asked = params['step'] as { step?: string; args?: Record<string, unknown> } | undefined;
  const version = params['deploy_version'];
  if (version !== undefined && version !== null && !sameVersion(options, version))
    throw new VersionMismatch('deploy version');
  const name = asked?.step;
  if (name === 'write_image') {
    const result = await prepareImage(options, signal, await hints(), asked?.args ?? {});
    return { deploy_result: result, deploy_step: asked };
  }
  if (name === 'erase_devices_metadata')
    return { deploy_result: await eraseMetadata(options, signal), deploy_step: asked };
  throw new AgentError('DeploymentError', 500, 'Deploy step failed', `No such step: ${String(name)}`);
}

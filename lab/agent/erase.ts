import { TIMING } from '../timing.ts';
import { AgentError, VersionMismatch } from './commands.ts';
import type { AgentOptions } from './options.ts';

export const VERSIONS = { generic_hardware_manager: '1.2', lab_hardware_manager: '1' };

const step = (name: string, priority: number) => ({
  step: name,
  priority,
  interface: 'deploy',
  reboot_requested: false,
  abortable: true,
});

export const cleanSteps = (): Record<string, unknown> => ({
  clean_steps: {
    GenericHardwareManager: [step('erase_devices', 10), step('erase_devices_metadata', 99)],
  },
  hardware_manager_version: VERSIONS,
});

/** Erases every disk, or its partition tables only, and says for each what was done and found afterwards. */
export async function executeCleanStep(
  options: AgentOptions,
  signal: AbortSignal,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const asked = params['step'] as { step?: string } | undefined;
  const version = params['clean_version'];
  if (version !== undefined && version !== null && !sameVersion(version))
    throw new VersionMismatch('clean version');
  const full = asked?.step === 'erase_devices';
  if (!full && asked?.step !== 'erase_devices_metadata')
    throw new AgentError('CleaningError', 500, 'Clean step failed', `No such step: ${String(asked?.step)}`);
  return { clean_result: await erase(options, signal, full), clean_step: asked };
}

/** Takes the partition tables of every disk away. */
export const eraseMetadata = (options: AgentOptions, signal: AbortSignal): Promise<Record<string, unknown>> =>
  erase(options, signal, false);

async function erase(
  options: AgentOptions,
  signal: AbortSignal,
  full: boolean,
): Promise<Record<string, unknown>> {
  const proof: Record<string, unknown> = {};
  for (const disk of options.hardware.disks) {
    const startedAt = new Date().toISOString();
    options.log?.('erase-started', { serial: disk.serial, full });
    await options.pause(full ? TIMING.eraseDisk : TIMING.eraseMetadata, signal);
    const reboots = options.faults?.take('eraseFailsReboots') === true;
    if (reboots) options.onReboot();
    if (reboots || options.faults?.take('eraseFails')) {
      options.log?.('erase-failed', { serial: disk.serial });
      throw new AgentError(
        'BlockDeviceEraseError',
        500,
        'Error erasing block device',
        `${disk.device}: I/O error`,
      );
    }
    const finishedAt = new Date().toISOString();
    options.disks.update(disk.serial, {
      image: null,
      firstBoot: null,
      ...(full ? { canaries: [], erasedAt: finishedAt } : {}),
    });
    options.disks.putConfigDrive(disk.serial, undefined);
    options.log?.('erase-finished', { serial: disk.serial, full });
    const left = options.disks.get(disk.serial).canaries.length;
    proof[disk.device] = {
      serial: disk.serial,
      sizeBytes: disk.sizeBytes,
      method: full ? 'nvme-format' : 'partition-tables',
      startedAt,
      finishedAt,
      sampledBlocks: 64,
      nonZeroBlocks: left,
      verified: full && left === 0,
    };
  }
  return proof;
}

export const sameVersion = (version: unknown): boolean =>
  JSON.stringify(Object.entries(version as object).sort()) ===
  JSON.stringify(Object.entries(VERSIONS).sort());

import type { Disk } from '../hardware.ts';
import { TIMING } from '../timing.ts';
import { cleanNvram } from './boot-loader.ts';
import { AgentError, VersionMismatch } from './commands.ts';
import type { AgentOptions } from './options.ts';

const STOCK = { generic_hardware_manager: '1.2' };
/** With the hardware manager of agent/ in its ramdisk. */
const OURS = { ...STOCK, rackwright_hardware_manager: '1' };
/** What the manager reads of a disk: its first and last MiB in blocks of 4 KiB, and 1,000 places between. */
const PLACES = 1512;

/** The versions of the agent's hardware managers. */
export const versionsOf = ({ faults }: Pick<AgentOptions, 'faults'>): Record<string, string> =>
  faults?.take('plainAgent') ? STOCK : OURS;

const step = (name: string, priority: number, of = 'deploy') => ({
  step: name,
  priority,
  interface: of,
  reboot_requested: false,
  abortable: true,
});

export const cleanSteps = (options: Pick<AgentOptions, 'faults'> = {}): Record<string, unknown> => ({
  clean_steps: {
    GenericHardwareManager: [
      step('erase_devices', 10),
      step('erase_devices_metadata', 99),
      step('delete_configuration', 0, 'raid'),
      ...(options.faults?.take('agentKeepsNvram') ? [] : [step('clean_uefi_nvram', 0)]),
    ],
  },
  hardware_manager_version: versionsOf(options),
});

/** Erases every disk, or its partition tables only; takes a software RAID apart; removes boot entries. */
export async function executeCleanStep(
  options: AgentOptions,
  signal: AbortSignal,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const asked = params['step'] as { step?: string; args?: Record<string, unknown> } | undefined;
  const version = params['clean_version'];
  if (version !== undefined && version !== null && !sameVersion(options, version))
    throw new VersionMismatch('clean version');
  switch (asked?.step) {
    case 'erase_devices':
      return { clean_result: await erase(options, signal, true), clean_step: asked };
    case 'erase_devices_metadata':
      return { clean_result: await eraseMetadata(options, signal), clean_step: asked };
    case 'clean_uefi_nvram':
      return { clean_result: cleanNvram(options, asked.args), clean_step: asked };
    case 'delete_configuration':
      options.faults?.take('softwareRaid');
      options.log?.('raid-deleted');
      return { clean_result: null, clean_step: asked };
    default:
      throw new AgentError('CleaningError', 500, 'Clean step failed', `No such step: ${String(asked?.step)}`);
  }
}

/** Takes the partition tables of every disk away, and says nothing of any. */
export async function eraseMetadata(options: AgentOptions, signal: AbortSignal): Promise<null> {
  await erase(options, signal, false);
  return null;
}

async function erase(
  options: AgentOptions,
  signal: AbortSignal,
  full: boolean,
): Promise<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  const { disks } = options.look?.() ?? options.hardware;
  const inRaid = disks.some(isVolume);
  for (const disk of disks.filter((each) => !isVolume(each))) {
    if (full && options.faults?.take('eraseMissesDisk')) continue;
    const plain = options.faults?.take('plainAgent') === true;
    if (full && inRaid) {
      result[disk.device] = plain ? null : { ...identity(disk), skipped: 'raid-member' };
      continue;
    }
    const proof = await eraseDisk(options, signal, disk, full);
    result[disk.device] = plain ? null : proof;
  }
  return result;
}

const isVolume = ({ device }: Disk): boolean => device.startsWith('/dev/md');

async function eraseDisk(
  options: AgentOptions,
  signal: AbortSignal,
  disk: Disk,
  full: boolean,
): Promise<Record<string, unknown>> {
  const { faults, log } = options;
  const startedAt = new Date().toISOString();
  log?.('erase-started', { serial: disk.serial, full });
  await options.pause(full ? TIMING.eraseDisk : TIMING.eraseMetadata, signal);
  const reboots = faults?.take('eraseFailsReboots') === true;
  if (reboots) options.onReboot();
  if (reboots || faults?.take('eraseFails')) {
    log?.('erase-failed', { serial: disk.serial });
    throw new AgentError(
      'BlockDeviceEraseError',
      500,
      'Error erasing block device',
      `${disk.device} (serial ${disk.serial}) could not be erased: overwrite: I/O error`,
    );
  }
  const finishedAt = new Date().toISOString();
  const kept = full && faults?.take('eraseLeavesData') === true;
  options.disks.update(disk.serial, {
    image: null,
    firstBoot: null,
    ...(full && !kept ? { canaries: [], erasedAt: finishedAt } : {}),
  });
  options.disks.putConfigDrive(disk.serial, undefined);
  log?.('erase-finished', { serial: disk.serial, full });
  const left = options.disks.get(disk.serial).canaries.length;
  const own = disk.device.startsWith('/dev/nvme') ? 'nvme-format' : 'ata-secure-erase';
  const refused = full && faults?.take('eraseRefused') === true;
  return {
    ...identity(disk),
    sampledBlocks: PLACES,
    nonZeroBlocks: left,
    leftBlocks: left,
    leftAt: Array.from({ length: left }, (_, i) => i * 4096),
    unreadableBlocks: 0,
    rule: own === 'nvme-format' && !refused ? 'empty' : 'zero',
    direct: true,
    readSizeBytes: disk.sizeBytes,
    verified: left === 0,
    method: refused ? 'overwrite' : own,
    finishedAt,
    verifiedAt: new Date().toISOString(),
    startedAt,
    failedMethods: refused ? [{ method: own, reason: 'NVMe status: Invalid Field in Command' }] : [],
  };
}

const identity = ({ serial, wwn, model, sizeBytes }: Disk): Record<string, unknown> => ({
  serial,
  wwn,
  model,
  sizeBytes,
});

export const sameVersion = (options: AgentOptions, version: unknown): boolean =>
  JSON.stringify(Object.entries(version as object).sort()) ===
  JSON.stringify(Object.entries(versionsOf(options)).sort());

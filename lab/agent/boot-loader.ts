import { AgentError } from './commands.ts';
import type { AgentOptions } from './options.ts';
import { rootDevice } from './root-device.ts';

/** Numbers below are the firmware's own. */
const FIRST = 5;
const INSTALL_MS = 300;
/** What points into a partition of a disk, or to a loader of Linux. */
const PATTERNS = ['^HD\\(', 'shim.*\\.efi', 'grub.*\\.efi'];

/**
 * Writes the boot entry of what stands on the root device, first in the boot order; one of the same label goes.
 * As the real one, it calls it a success to have found no loader, if it was told that there is no root file system.
 */
export async function installBootloader(
  options: AgentOptions,
  signal: AbortSignal,
  hints: Record<string, unknown> | undefined,
  params: Record<string, unknown>,
): Promise<string> {
  const { bootEntries, faults, hardware, log } = options;
  const { device } = rootDevice(hardware.disks, hints);
  await options.pause(INSTALL_MS, signal);
  if (faults?.take('imageWithoutEsp')) {
    throw new AgentError(
      'DeviceNotFound',
      404,
      'Error finding the disk or partition device to deploy the image onto',
      `No EFI partition could be detected on device ${device}`,
    );
  }
  if (faults?.take('espUnnamed')) {
    throw new AgentError(
      'DeviceNotFound',
      404,
      'Error finding the disk or partition device to deploy the image onto',
      `No partition with UUID 6f0b7a52-33aa-4cf5-9d3e-0c6a5b1d2e3f found on device ${device}`,
    );
  }
  if (faults?.take('espNotMounted')) {
    const mount = `mount ${device}p1 /tmp/tmp1/boot/efi\nExit code: 32\nStderr: unknown filesystem type 'vfat'`;
    throw new AgentError(
      'CommandExecutionError',
      500,
      'Command execution failed',
      `Could not configure UEFI boot on device ${device}: Unexpected error while running command.\nCommand: ${mount}`,
    );
  }
  if (faults?.take('noEfibootmgr') || faults?.take('imageWithoutLoader')) {
    const root = params['root_uuid'];
    if (root === null || root === undefined || root === '0x00000000') return 'None';
    throw new AgentError(
      'InvalidImage',
      500,
      'The provided image is not valid for use',
      'Install of legacy BIOS bootloaders disabled',
    );
  }
  const label = 'ironic1';
  const loader = '\\EFI\\BOOT\\BOOTX64.EFI';
  if (faults?.take('bootEntriesReadOnly')) {
    throw new AgentError(
      'CommandExecutionError',
      500,
      'Command execution failed',
      `Could not configure UEFI boot on device ${device}: ${refusal(`-v -c -d ${device} -p 1 -w -L ${label} -l ${loader}`)}`,
    );
  }
  const others = (bootEntries?.read() ?? []).filter((entry) => entry.label !== label);
  const used = new Set(others.map(({ id }) => id));
  let number = FIRST;
  while (used.has(idOf(number))) number += 1;
  const partition = '8a1b2c3d-0001-4000-8000-000000000001';
  const before = faults?.take('bootEntriesFullPath') ? 'PciRoot(0x0)/Pci(0x1d,0x0)/NVMe(0x1,00-00)/' : '';
  const path = `${before}HD(1,GPT,${partition},0x800,0x32000)/File(${loader})`;
  bootEntries?.write([{ id: idOf(number), label, path }, ...others]);
  log?.('boot-entry-written', { label, device });
  return 'None';
}

/** Removes the boot entries whose path one of the patterns fits. */
export function cleanNvram(
  { bootEntries, faults, log }: AgentOptions,
  args: Record<string, unknown> | undefined,
): null {
  if (faults?.take('noEfibootmgr')) throw failed('[Errno 2] No such file or directory: efibootmgr');
  const given = args?.['match_patterns'] ?? PATTERNS;
  if (!Array.isArray(given)) throw failed('The match_patterns must be a list of strings');
  const patterns = given.map((pattern) => new RegExp(String(pattern), 'i'));
  const entries = bootEntries?.read() ?? [];
  const gone = entries.filter(({ path }) => patterns.some((pattern) => pattern.test(path)));
  if (gone.length === 0) return null;
  if (faults?.take('bootEntriesReadOnly')) throw failed(refusal(`-b ${gone[0]!.id.slice(4)} -B`));
  bootEntries?.write(entries.filter((entry) => !gone.includes(entry)));
  log?.('boot-entries-removed', { labels: gone.map(({ label }) => label) });
  return null;
}

const idOf = (number: number): string => `Boot${number.toString(16).toUpperCase().padStart(4, '0')}`;

const refusal = (words: string): string =>
  `Unexpected error while running command.\nCommand: efibootmgr ${words}\nExit code: 5\nStderr: Could not prepare Boot variable: Read-only file system`;

const failed = (details: string): AgentError =>
  new AgentError('CleaningError', 500, 'Clean step failed', details);

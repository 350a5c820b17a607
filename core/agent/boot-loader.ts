import type { AgentCommand } from './command.ts';

/**
 * What the agent's `image.install_bootloader` came to. It looks for the EFI system partition, for a loader on
 * it, and writes a boot entry for that one, first in the boot order.
 */
export type BootLoader =
  /** The boot entry is written. */
  | 'installed'
  /** The disk has no EFI system partition. */
  | 'no-partition'
  /** There is no loader on the partition, or the ramdisk has no efibootmgr: the agent does not tell which. */
  | 'no-loader'
  /** The entry could not be written, for whatever reason: of the disk, that says nothing. */
  | 'no-entry'
  /** The disk or the agent itself is broken: what the agent says is all that is known. */
  | 'failed';

/** Only "No such device" is what mount says where the kernel has no vfat, too. */
const BROKEN =
  /input\/output error|\bi\/o error|no such device or address|could not stat device|no medium|\bumounting\b/i;

/**
 * Reads it. It takes for granted that the command was asked with a root file system that no disk has: told that
 * there is none, the agent calls it a success when it found nothing to boot.
 *
 * @param rootUuid that root file system
 */
export function readBootLoader({ status, error }: AgentCommand, rootUuid: string): BootLoader {
  if (status === 'succeeded') return 'installed';
  const { type, message } = error ?? { type: '', message: '' };
  const [, uuid] = /no partition with uuid (\S+)/i.exec(message) ?? [];
  if (uuid !== undefined) {
    // An agent that may still run the grub-install of an image looks for its root; others refuse. Any other is the
    // partition that it has found: on an MBR disk it makes the name of it up, and then finds none of that name.
    return uuid.toLowerCase() === rootUuid.toLowerCase() ? 'no-loader' : 'no-entry';
  }
  if (type === 'DeviceNotFound') {
    if (/no efi partition/i.test(message)) return 'no-partition';
    return /partition number/i.test(message) ? 'no-entry' : 'failed';
  }
  if (type === 'InvalidImage' && /bootloader/i.test(message)) return 'no-loader';
  if (/\bcommand: efibootmgr\b/i.test(message)) return 'no-entry';
  if (/unrecogni[sz]ed disk label/i.test(message)) return 'no-partition';
  return BROKEN.test(message) || type.startsWith('BlockDevice') ? 'failed' : 'no-entry';
}

/**
 * Which boot entries the agent is to remove, as patterns that it looks for anywhere in a device path: its own three,
 * and one for a path that begins at the root of the bus, not at the partition.
 */
export const REMOVED_ENTRIES: readonly string[] = ['^HD\\(', 'shim.*\\.efi', 'grub.*\\.efi', '/HD\\('];

/** What a program said, out of an error of the agent: its last words, or else all of it, on one line. */
export function refusalOf(message: string): string {
  const said = /\bstderr: (?:b?(['"]))?(.+?)\1?\s*$/is.exec(message)?.[2] ?? message;
  return said
    .replaceAll(/(?:\s|\\n)+/g, ' ')
    .trim()
    .slice(0, 300);
}

/** Where firmware looks by itself for a loader on a disk. */
export const fallbackLoader = (architecture: string): string =>
  `EFI/BOOT/${architecture === 'aarch64' ? 'BOOTAA64' : 'BOOTX64'}.EFI`;

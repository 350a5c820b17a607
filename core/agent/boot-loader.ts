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
  /** efibootmgr could not write the entry; the loader is there. */
  | 'no-entry'
  /** Anything else: what the agent says is all that is known. */
  | 'failed';

/**
 * Reads it. It takes for granted that the command was asked with a root file system that no disk has: told that
 * there is none, the agent calls it a success when it found nothing to boot.
 */
export function readBootLoader({ status, error }: AgentCommand): BootLoader {
  if (status === 'succeeded') return 'installed';
  const { type, message } = error ?? { type: '', message: '' };
  if (type === 'DeviceNotFound' && /no efi partition/i.test(message)) return 'no-partition';
  // An agent that may still run the grub-install of an image looks for its root; others refuse.
  if (type === 'DeviceNotFound' && /no partition with uuid/i.test(message)) return 'no-loader';
  if (type === 'InvalidImage' && /bootloader/i.test(message)) return 'no-loader';
  if (type === 'CommandExecutionError' && /\bcommand: efibootmgr\b/i.test(message)) return 'no-entry';
  return 'failed';
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

import { fail, type RackwrightError } from '../errors/failure.ts';
import { MEDIA_LABEL, PARAMETERS_PATH } from './parameters.ts';

/** How a base ISO is laid out, and which tools make it: all that can be said without running one. */

export type MediaArchitecture = 'x86_64' | 'aarch64';

/** What an architecture's firmware looks for, and the Debian package that GRUB for it comes from. */
export const FIRMWARE: {
  readonly [A in MediaArchitecture]: {
    readonly grub: string;
    readonly file: string;
    readonly package: string;
  };
} = {
  x86_64: { grub: 'x86_64-efi', file: 'BOOTX64.EFI', package: 'grub-efi-amd64-bin' },
  aarch64: { grub: 'arm64-efi', file: 'BOOTAA64.EFI', package: 'grub-efi-arm64-bin' },
};

/** Tools that are run, and the Debian packages that they come from. */
export const TOOLS = {
  'grub-mkimage': 'grub-common',
  mformat: 'mtools',
  mmd: 'mtools',
  mcopy: 'mtools',
  xorriso: 'xorriso',
} as const;
export type Tool = keyof typeof TOOLS;

/** Where things stand in the volume. */
export const LAYOUT = {
  kernel: 'boot/vmlinuz',
  ramdisk: 'boot/ramdisk',
  esp: 'boot/efi.img',
  menu: 'boot/grub/grub.cfg',
  parameters: PARAMETERS_PATH,
  /** An empty file under a name that only this kernel and ramdisk have: GRUB finds its volume by it. */
  identity: (id: string) => `rackwright/${id}`,
} as const;

/** What GRUB has to understand: the volume, the kernel, and its own scripts. */
const GRUB_MODULES =
  'normal linux iso9660 fat part_gpt part_msdos search search_fs_file configfile echo sleep test'.split(' ');

/** All dates in what is built: the same input gives the same bytes. */
export const BUILD_EPOCH = 946_684_800;
const BUILD_DATE = '2000010100000000';
const MIB = 1024 * 1024;

/** What GRUB does first, inside the boot image: it looks for its volume, and reads the menu there. */
export const earlyConfig = (id: string): string =>
  [
    `search --no-floppy --set=root --file /${LAYOUT.identity(id)}`,
    'set prefix=($root)/boot/grub',
    'normal',
    '',
  ].join('\n');

/**
 * The menu, of one entry. `boot_method=vmedia` has ironic-python-agent look for the volume by its label and read
 * its parameters there: on the command line they would stand in the kernel's log and on every console.
 * Where the boot fails it stops: going on to the next boot option would start what stands on the disk.
 */
export const menu = (append: string): string =>
  [
    `linux /${LAYOUT.kernel} ${['boot_method=vmedia', ...kernelWords(append)].join(' ')}`,
    `initrd /${LAYOUT.ramdisk}`,
    'boot',
    'echo "The deploy agent could not be started from this media."',
    'while true; do sleep 60; done',
    '',
  ].join('\n');

const input = (message: string): RackwrightError => fail('MEDIA_INPUT_INVALID', message);

/** Kernel parameters as words. Throws MEDIA_INPUT_INVALID for what GRUB would read as a script, or what tells secrets. */
function kernelWords(append: string): string[] {
  const words = append.split(/\s+/).filter((word) => word !== '');
  for (const word of words) {
    if (!/^[\w.,:=/@%+-]+$/.test(word)) {
      throw input(
        `Kernel parameter ${JSON.stringify(word.slice(0, 60))} has characters that GRUB would read.`,
      );
    }
    if (/^ipa-debug(=|$)/.test(word))
      throw input('With ipa-debug the agent would write its token to its log.');
    if (word.startsWith('boot_method='))
      throw input('boot_method is vmedia: the agent reads its parameters there.');
  }
  return words;
}

/** The image that firmware loads: GRUB with its modules and its first commands inside. */
export const grubArguments = (
  architecture: MediaArchitecture,
  files: { readonly config: string; readonly output: string },
): string[] => [
  '-O',
  FIRMWARE[architecture].grub,
  '-o',
  files.output,
  '-c',
  files.config,
  '-p',
  '/boot/grub',
  ...GRUB_MODULES,
];

/** The size of the EFI system partition that holds a boot image of this size. */
export const espSize = (efiBytes: number): number => Math.max(4, Math.ceil(efiBytes / MIB) + 1) * MIB;

/** What makes the EFI system partition, in this order. Its serial number is always the same. */
export const espCommands = (
  architecture: MediaArchitecture,
  files: { readonly efi: string; readonly esp: string },
): (readonly [Tool, readonly string[]])[] => [
  ['mformat', ['-i', files.esp, '-N', '52574d42', '-v', 'RACKWRIGHT', '::']],
  ['mmd', ['-i', files.esp, '::/EFI', '::/EFI/BOOT']],
  ['mcopy', ['-i', files.esp, files.efi, `::/EFI/BOOT/${FIRMWARE[architecture].file}`]],
];

/** The volume, of everything in a folder; links are followed. */
export const isoArguments = (files: { readonly folder: string; readonly output: string }): string[] => [
  '-as',
  'mkisofs',
  '-quiet',
  '-f',
  '-r',
  '-V',
  MEDIA_LABEL,
  `--modification-date=${BUILD_DATE}`,
  '--set_all_file_dates',
  BUILD_DATE,
  '-e',
  LAYOUT.esp,
  '-no-emul-boot',
  '-o',
  files.output,
  files.folder,
];

const begins = (head: Uint8Array, at: number, bytes: readonly number[]): boolean =>
  bytes.every((byte, i) => head[at + i] === byte);
const GZIP = [0x1f, 0x8b];

/** Why something cannot be the kernel, by its first kilobyte; undefined where it can. */
export function kernelProblem(head: Uint8Array, architecture: MediaArchitecture): string | undefined {
  const efi = begins(head, 0, [0x4d, 0x5a]);
  if (architecture === 'x86_64') {
    return efi && begins(head, 0x202, [0x48, 0x64, 0x72, 0x53])
      ? undefined
      : 'is no Linux kernel for x86_64 that UEFI can start (bzImage with an EFI stub)';
  }
  return (efi && begins(head, 56, [0x41, 0x52, 0x4d, 0x64])) || begins(head, 0, GZIP)
    ? undefined
    : 'is no Linux kernel for aarch64';
}

/** What a ramdisk begins with: cpio (also where microcode stands before it), or what the kernel decompresses. */
const RAMDISKS = [
  [0x30, 0x37, 0x30, 0x37, 0x30],
  GZIP,
  [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [0x28, 0xb5, 0x2f, 0xfd],
  [0x02, 0x21, 0x4c, 0x18],
  [0x04, 0x22, 0x4d, 0x18],
  [0x42, 0x5a, 0x68],
  [0x5d, 0x00, 0x00],
  [0x89, 0x4c, 0x5a],
] as const;

/** Why something cannot be the ramdisk, by its first kilobyte; undefined where it can. */
export const ramdiskProblem = (head: Uint8Array): string | undefined =>
  RAMDISKS.some((bytes) => begins(head, 0, bytes)) ? undefined : 'is no ramdisk (cpio, plain or compressed)';

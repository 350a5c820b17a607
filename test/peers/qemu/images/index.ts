import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { debianKernel, KERNEL_PROGRAMS } from '../../kernel.ts';
import { builtOnce, missingPrograms, peersFolder } from '../../once.ts';
import { contentKey, forgetUnused } from './content-key.ts';

/** What a machine boots in an end-to-end run: a deploy agent, and guests. Built once, by the scripts beside this file. */

const run = promisify(execFile);
const BUILD_MS = 20 * 60_000;
const MAX_TOLD = 10_000_000;
const HERE = import.meta.dirname;
const ROOT = join(HERE, '..', '..', '..', '..');
const EXAMPLE = join(ROOT, 'examples', 'first-boot');
/** A Python package of hardware managers, where there is one. */
const PACKAGE = join(ROOT, 'agent');

const PROGRAMS =
  'bash mmdebstrap python3 tar cpio lz4 modprobe busybox chroot grub-mkimage mformat mmd mcopy mdeltree iconv sgdisk mke2fs qemu-img'.split(
    ' ',
  );
const GRUB = '/usr/lib/grub/x86_64-efi/moddep.lst';

/** What this machine lacks to build the images; undefined where they can be built. */
export function missingForImages(): string | undefined {
  const absent = [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...missingPrograms([...PROGRAMS, ...KERNEL_PROGRAMS]),
    ...(existsSync(GRUB) ? [] : ['the package grub-efi-amd64-bin']),
  ];
  return absent.length === 0 ? undefined : absent.join(', ');
}

/** A kernel and a ramdisk with ironic-python-agent, and with the package of `agent/` where there is one. */
export async function ipaRamdisk(): Promise<{ kernel: string; ramdisk: string }> {
  const { tree, image } = await debianKernel('generic');
  const root = await built('agent-root', '.tar', 'agent-root.sh', [], []);
  const files = ['agent-init.sh', 'dhcp.sh', 'untold.sed'].map((name) => join(HERE, name));
  const ours = existsSync(PACKAGE) ? [PACKAGE] : [];
  const made = await built(
    'agent',
    '',
    'agent-ramdisk.sh',
    [root, tree, ...ours],
    [...files, ...ours, image],
  );
  return { kernel: join(made, 'kernel'), ramdisk: join(made, 'ramdisk') };
}

export interface BusyboxGuest {
  /** What it says of itself on its console; two names are two images. */
  readonly name: string;
  /** It never calls home. @default false */
  readonly silent?: boolean;
  /** Where its boot loader stands: where firmware looks by itself, where only a boot entry leads, or nowhere. @default 'fallback' */
  readonly loader?: 'fallback' | 'vendor' | 'none';
}

/** A whole disk, raw, with a Linux that starts in seconds; it prints `GUEST <name> UP`, or `GUEST <name> SILENT`. */
export async function busyboxGuest({
  name,
  silent = false,
  loader = 'fallback',
}: BusyboxGuest): Promise<string> {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) throw new Error(`${name} is no name of a guest`);
  const { tree, image } = await debianKernel('generic');
  const files = ['busybox-init.sh', 'busybox-report.sh', 'dhcp.sh'].map((file) => join(HERE, file));
  const args = [tree, name, silent ? '1' : '0', loader];
  return built(
    `guest-${name}${silent ? '-silent' : ''}${loader === 'fallback' ? '' : `-${loader}`}`,
    '.raw',
    'busybox-guest.sh',
    args,
    [...files, image],
  );
}

/** A whole disk, raw, with a Debian whose cloud-init reads the config drive and whose service calls home. */
export async function debianGuest(): Promise<string> {
  const { tree, image } = await debianKernel('generic');
  const files = [join(HERE, 'debian-first.sh'), join(HERE, 'debian'), EXAMPLE, image];
  return built('guest-debian', '.raw', 'debian-guest.sh', [tree, EXAMPLE], files);
}

/** The same disk in another format, beside it. */
export const asQcow2 = (raw: string): Promise<string> =>
  builtOnce(raw.replace(/\.raw$/, '.qcow2'), async (aside) => {
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', '-c', raw, aside]);
  });

/** What a script makes of its arguments, under a name that changes with the script and all that it reads. */
async function built(
  name: string,
  ending: string,
  script: string,
  args: readonly string[],
  reads: readonly string[],
): Promise<string> {
  const path = join(HERE, script);
  const key = await contentKey(
    [path, join(HERE, 'lib.sh'), ...reads],
    args.map((arg) => (isAbsolute(arg) ? basename(arg) : arg)),
  );
  const folder = peersFolder();
  const made = await builtOnce(join(folder, `image-${name}-${key}${ending}`), async (aside) => {
    try {
      await run('bash', [path, aside, ...args], { timeout: BUILD_MS, maxBuffer: MAX_TOLD });
    } catch (error) {
      const { stderr } = error as { stderr?: string };
      throw new Error(`${script} failed: ${(stderr ?? '').slice(-2000)}`, { cause: error });
    }
  });
  await forgetUnused(folder, made);
  return made;
}

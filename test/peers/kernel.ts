import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtOnce, peersFolder } from './once.ts';

const run = promisify(execFile);
const FETCH_MS = 600_000;

/** What a kernel is fetched and unpacked with. */
export const KERNEL_PROGRAMS = ['apt-get', 'apt-cache', 'dpkg', 'depmod'] as const;

/** A kernel of Debian, unpacked: nothing of it is installed. */
export interface DebianKernel {
  readonly image: string;
  /** The folder that has `boot/` and `lib/modules/`. */
  readonly tree: string;
}

/**
 * Fetches a kernel once.
 *
 * @param flavour `cloud` has no drivers for hardware, not even an AHCI controller; `generic` has them all
 */
export async function debianKernel(flavour: 'cloud' | 'generic'): Promise<DebianKernel> {
  const tree = await builtOnce(join(peersFolder(), `linux-${flavour}`), (aside) =>
    unpack(flavour === 'cloud' ? 'linux-image-cloud-amd64' : 'linux-image-amd64', aside),
  );
  const boot = await readdir(join(tree, 'boot'));
  return {
    image: join(
      tree,
      'boot',
      boot.find((name) => name.startsWith('vmlinuz-'))!,
    ),
    tree,
  };
}

async function unpack(metapackage: string, aside: string): Promise<void> {
  const { stdout } = await run('apt-cache', ['depends', '--no-recommends', metapackage]);
  const name = /Depends: (linux-image-\S+)/.exec(stdout)?.[1];
  if (name === undefined) throw new Error(`apt knows no ${metapackage}: run apt-get update`);
  const fetched = `${aside}.deb`;
  await rm(fetched, { recursive: true, force: true });
  await mkdir(fetched, { recursive: true });
  await run('apt-get', ['download', name], { cwd: fetched, timeout: FETCH_MS });
  const deb = (await readdir(fetched)).find((file) => file.endsWith('.deb'))!;
  const tree = join(fetched, 'tree');
  await run('dpkg', ['-x', join(fetched, deb), tree]);
  // A package has no index of its modules: what installs it makes one.
  await run('depmod', ['--basedir', tree, (await readdir(join(tree, 'lib', 'modules')))[0]!]);
  await rename(tree, aside);
  await rm(fetched, { recursive: true, force: true });
}

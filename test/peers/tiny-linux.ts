import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BUSYBOX = '/bin/busybox';
const PACKAGE = 'linux-image-cloud-amd64';
const INSTALL_MS = 600_000;

/** What the kernel of a cloud has as modules and a ramdisk needs to read a CD, in the order of their needs. */
const MODULES =
  'virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci scsi_common scsi_mod virtio_scsi cdrom sr_mod isofs'.split(
    ' ',
  );

/** What the ramdisk prints before and after the parameters. */
export const PRINTED = { first: 'PARAMETERS BEGIN', last: 'PARAMETERS END' } as const;

/** Looks for its parameters as ironic-python-agent does: in a CD drive, by the label. Prints them, and powers off. */
const INIT = `#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys
for m in ${MODULES.join(' ')}; do [ -f /mod/$m.ko ] && insmod /mod/$m.ko; done
i=0; while [ ! -b /dev/sr0 ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done
echo "command line: $(cat /proc/cmdline)"
blkid /dev/sr0
mount -t iso9660 -o ro /dev/sr0 /cd
echo "${PRINTED.first}"; grep . /cd/parameters.txt; echo "${PRINTED.last}"
poweroff -f
`;

/** Why no tiny Linux can be made or booted here; undefined where it can. */
export function missingForLinux(programs: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  const all = [...programs, 'dpkg', 'apt-get', 'cpio', 'busybox'];
  const absent = all.filter((each) => !folders.some((folder) => existsSync(join(folder, each))));
  return absent.length === 0 ? undefined : absent.join(', ');
}

/** Debian's kernel, and a ramdisk of busybox that tells what media it was booted from. The kernel is fetched once. */
export async function tinyLinux(folder: string): Promise<{ kernel: string; ramdisk: string }> {
  const peers = resolve(process.env['RACKWRIGHT_PEERS'] ?? join('.rackwright', 'peers'));
  const tree = join(peers, 'linux-cloud');
  if (!existsSync(tree)) await fetchKernel(peers, tree);
  const boot = await readdir(join(tree, 'boot'));
  const kernel = join(
    tree,
    'boot',
    boot.find((name) => name.startsWith('vmlinuz-'))!,
  );
  const root = join(folder, 'root');
  for (const each of ['bin', 'dev', 'proc', 'sys', 'cd', 'mod'])
    await mkdir(join(root, each), { recursive: true });
  await copyFile(BUSYBOX, join(root, 'bin', 'busybox'));
  const files = await readdir(join(tree, 'lib', 'modules'), { recursive: true });
  for (const name of MODULES) {
    const found = files.find((file) => file.endsWith(`/${name}.ko`));
    if (found !== undefined)
      await copyFile(join(tree, 'lib', 'modules', found), join(root, 'mod', `${name}.ko`));
  }
  await writeFile(join(root, 'init'), INIT, { mode: 0o755 });
  await symlink('busybox', join(root, 'bin', 'sh'));
  const ramdisk = join(folder, 'ramdisk');
  await run('sh', ['-c', `find . | cpio -o -H newc -R 0:0 --quiet | gzip -1 > "$1"`, 'sh', ramdisk], {
    cwd: root,
  });
  return { kernel, ramdisk };
}

/** Unpacked aside, and put in its place as a whole. */
async function fetchKernel(peers: string, tree: string): Promise<void> {
  const aside = join(peers, `.linux-cloud-${process.pid}`);
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  const { stdout } = await run('apt-cache', ['depends', '--no-recommends', PACKAGE]);
  const name = /Depends: (linux-image-\S+)/.exec(stdout)?.[1];
  if (name === undefined) throw new Error(`apt knows no ${PACKAGE}: run apt-get update`);
  await run('apt-get', ['download', name], { cwd: aside, timeout: INSTALL_MS });
  const deb = (await readdir(aside)).find((file) => file.endsWith('.deb'))!;
  await run('dpkg', ['-x', join(aside, deb), join(aside, 'tree')]);
  await rename(join(aside, 'tree'), tree).catch(() => undefined);
  await rm(aside, { recursive: true, force: true });
}

import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianKernel, KERNEL_PROGRAMS } from './kernel.ts';
import { missingPrograms } from './once.ts';

const run = promisify(execFile);
const BUSYBOX = '/bin/busybox';

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
  const absent = missingPrograms([...programs, ...KERNEL_PROGRAMS, 'cpio', 'busybox']);
  return absent.length === 0 ? undefined : absent.join(', ');
}

/** Debian's kernel, and a ramdisk of busybox that tells what media it was booted from. */
export async function tinyLinux(folder: string): Promise<{ kernel: string; ramdisk: string }> {
  const { image: kernel, tree } = await debianKernel('cloud');
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

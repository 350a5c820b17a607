import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endProcess } from '../peer.ts';

const run = promisify(execFile);
const START_MS = 60_000;
const OWN_NAMESPACES =
  'unshare --mount --propagation private --pid --fork --kill-child=KILL --mount-proc'.split(' ');

/** Where libvirt keeps things, and what lies there instead. */
const FOLDERS = {
  etc: '/etc/libvirt',
  lib: '/var/lib/libvirt',
  run: '/run/libvirt',
  cache: '/var/cache/libvirt',
  log: '/var/log/libvirt',
} as const;

const LIBVIRTD_CONF = 'auth_unix_ro = "none"\nauth_unix_rw = "none"\nunix_sock_group = "root"\n';
const QEMU_CONF = `user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
security_default_confined = 0
cgroup_controllers = []
namespaces = []
stdio_handler = "file"
`;

/** A libvirt daemon of its own. */
export interface Libvirt {
  readonly uri: string;
  /** A folder for disks, which is its storage pool as well. */
  readonly images: string;
  virsh(...args: string[]): Promise<string>;
  /** Ends it and every machine that it runs. */
  stop(): Promise<void>;
}

/**
 * Starts a libvirt daemon whose folders all lie in `dir`. It has a mount namespace and a process namespace of
 * its own: no other daemon of this machine is touched, and nothing of it, QEMU included, outlives its first process.
 * Needs root.
 */
export async function startLibvirt(dir: string): Promise<Libvirt> {
  const images = join(dir, 'images');
  await mkdir(images, { recursive: true });
  for (const name of Object.keys(FOLDERS)) await mkdir(join(dir, name), { recursive: true });
  await writeFile(join(dir, 'etc', 'libvirtd.conf'), LIBVIRTD_CONF);
  await writeFile(join(dir, 'etc', 'qemu.conf'), QEMU_CONF);
  const mounts = Object.entries(FOLDERS).map(
    ([name, path]) => `mkdir -p ${path} && mount --bind ${join(dir, name)} ${path}`,
  );
  // The shell stays: the first process of a process namespace has to bury those that nobody waits for.
  const script = `set -e\n${mounts.join('\n')}\nlibvirtd --pid-file ${join(dir, 'libvirtd.pid')} --timeout 0 >>${join(dir, 'log', 'out')} 2>&1 & wait $!`;
  const [unshare, ...own] = OWN_NAMESPACES;
  const daemon = spawn(unshare!, [...own, 'bash', '-c', script], { stdio: 'ignore' });
  const uri = `qemu+unix:///system?socket=${join(dir, 'run', 'libvirt-sock')}`;
  const virsh = async (...args: string[]): Promise<string> =>
    (await run('virsh', ['-c', uri, ...args], { timeout: 60_000 })).stdout;

  const ends = Date.now() + START_MS;
  for (;;) {
    if (
      await virsh('version').then(
        () => true,
        () => false,
      )
    )
      break;
    if (daemon.exitCode !== null || Date.now() > ends) {
      await endProcess(daemon);
      const said = await readFile(join(dir, 'log', 'out'), 'utf8').catch(() => '');
      throw new Error(`libvirtd did not start:\n${said.slice(-2_000)}`);
    }
    await sleep(100);
  }
  await virsh('pool-create-as', 'default', 'dir', '--target', images);
  return { uri, images, virsh, stop: () => endProcess(daemon) };
}

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Front } from './front.ts';
import { inside, namespaces, NSENTER, type Switch } from './namespaces.ts';
import { endProcess } from './peer.ts';
import { startSshd, type SshdPeer } from './sshd.ts';

const run = promisify(execFile);
const CHRONYD = '/usr/sbin/chronyd';
const CHRONYC = '/usr/bin/chronyc';

/** Why no time service can be run here; undefined: it can. */
export const noChronyd = (): string | undefined => (existsSync(CHRONYD) ? undefined : 'there is no chronyd');

/** Why no hosts can be made here; undefined: they can. */
export const noHosts = (): string | undefined => {
  if (userInfo().uid !== 0) return 'namespaces take root';
  const programs = ['/usr/sbin/sshd', '/usr/bin/sudo'];
  const missing = programs.find((program) => !existsSync(program));
  return missing === undefined ? undefined : `there is no ${missing}`;
};

export interface HostOptions {
  readonly name: string;
  readonly machineId: string;
  readonly bootId: string;
  readonly hosts: string;
  readonly sudoers: string;
  /** What it is asked with by way of answer: the script of a program. */
  readonly programs: { readonly [name: string]: string };
  /** Block devices: their names under /dev, and links to them. */
  readonly devices: readonly string[];
  readonly links: { readonly [path: string]: string };
  /** Lets sessions run as a user who is not root. */
  readonly unprivileged?: boolean;
}

/**
 * A host that is logged in to over OpenSSH's own server. Sessions run in namespaces of their own: host name, files
 * of /etc and /dev, and network are its own, the rest is this machine's.
 */
export class HostPeer {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #sshd: SshdPeer;
  readonly #front: Front;
  readonly #services: ChildProcess[] = [];
  readonly #listeners = new Map<number, ChildProcess>();

  private constructor(folder: string, child: ChildProcess, sshd: SshdPeer, front: Front) {
    this.#folder = folder;
    this.#child = child;
    this.#sshd = sshd;
    this.#front = front;
  }

  static async start(options: HostOptions): Promise<HostPeer> {
    const folder = mkdtempSync(join(tmpdir(), 'rackwright-host-'));
    // Sessions of another user look into it.
    chmodSync(folder, 0o755);
    for (const name of ['etc', 'bin', 'dev', 'ssh']) mkdirSync(join(folder, name), { mode: 0o755 });
    const etc = (file: string, text: string): void => writeFileSync(join(folder, 'etc', file), text);
    etc('hostname', `${options.name}\n`);
    etc('machine-id', `${options.machineId}\n`);
    etc('boot-id', `${options.bootId}\n`);
    etc('hosts', options.hosts);
    etc('sudoers', options.sudoers);
    chmodSync(join(folder, 'etc', 'sudoers'), 0o440);
    writeFileSync(
      join(folder, 'ssh', 'ssh_host_ed25519_key.pub'),
      `ssh-ed25519 ${Buffer.from(options.name.repeat(20)).toString('base64')} root@${options.name}\n`,
    );
    const child = await namespaces(['--mount', '--uts', '--net'], setupOf(folder, options));
    const nsenter = `${NSENTER} -t ${child.pid} -m -u -n`;
    const user = options.unprivileged ? 'setpriv --reuid=65534 --regid=65534 --clear-groups ' : '';
    const path = `PATH=${join(folder, 'bin')}:/usr/local/bin:/usr/bin:/bin`;
    const sshd = await startSshd([
      // Its default takes a fifth of a second of both sides' time, for each of some hundred logins.
      'KexAlgorithms curve25519-sha256',
      `ForceCommand exec ${nsenter} -- ${user}env ${path} sh -c "$SSH_ORIGINAL_COMMAND"`,
    ]);
    const host = new HostPeer(folder, child, sshd, await Front.start(sshd.port));
    for (const [name, script] of Object.entries(options.programs)) host.program(name, script);
    return host;
  }

  /** How it is logged in to. */
  get ssh() {
    const { user, hostKey, keyFile } = this.#sshd;
    return { host: '127.0.0.1', port: this.#front.port, user, hostKey, key: `file:${keyFile}` };
  }
  /** How often somebody connected. */
  get connections(): number {
    return this.#front.connections;
  }

  /** Accepts and hangs up, as a host that is going down. */
  hangUp(hanging: boolean): void {
    this.#front.hanging = hanging;
  }
  /** Whether sshd listens. */
  listen(listening: boolean): Promise<void> {
    return this.#front.listen(listening);
  }

  /** Writes a file of /etc that is its own. */
  etc(file: 'hostname' | 'machine-id' | 'hosts' | 'boot-id' | 'sudoers', text: string): void {
    writeFileSync(join(this.#folder, 'etc', file), text);
  }
  /** Puts a program in front of those of this machine. */
  program(name: string, script: string): void {
    const file = join(this.#folder, 'bin', name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  /** Runs commands on it, by root. */
  async run(script: string): Promise<void> {
    await run(NSENTER, [...inside(this.#child, '-m', '-u', '-n'), 'sh', '-ec', script]);
  }
  /** Plugs an interface of it into a switch. */
  async plug(into: Switch, name: string, mac: string, address?: string): Promise<void> {
    const port = this.portOf(name);
    await this.run(
      `ip link add ${name} address ${mac} type veth peer name ${port}; ip link set ${port} netns ${into.pid}; ip link set ${name} up${address === undefined ? '' : `; ip addr add ${address} dev ${name}`}`,
    );
    await into.run(`ip link set ${port} master br0 up`);
  }
  /** The port of a switch that an interface is plugged into. */
  portOf(name: string): string {
    return `${name}-${this.#child.pid}`.slice(-15);
  }

  /** Lets something on it accept connections, or no more. */
  async service(address: string, port: number, accepts: boolean): Promise<void> {
    const running = this.#listeners.get(port);
    if (running) await endProcess(running);
    this.#listeners.delete(port);
    if (!accepts) return;
    const child = spawn(
      NSENTER,
      [...inside(this.#child, '-n'), 'python3', '-c', LISTEN, address, String(port)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    process.once('exit', () => child.kill('SIGKILL'));
    this.#listeners.set(port, child);
    await once(child.stdout, 'data');
  }

  /**
   * Runs chronyd, which leaves the clock alone, and lets it be asked in the place of the program that stands in front.
   * Ends with the host.
   */
  async chronyd(config: string): Promise<void> {
    const file = join(this.#folder, 'chrony.conf');
    writeFileSync(file, `${config}\ndriftfile /dev/null\n`);
    await this.run('install -d -m 750 /run/chrony');
    const enter = inside(this.#child, '-m', '-n');
    const child = spawn(NSENTER, [...enter, CHRONYD, '-x', '-u', 'root', '-d', '-f', file], {
      stdio: 'ignore',
    });
    process.once('exit', () => child.kill('SIGKILL'));
    this.#services.push(child);
    this.program('chronyc', `exec ${CHRONYC} "$@"`);
  }
  async endServices(): Promise<void> {
    await Promise.all(this.#services.splice(0).map(endProcess));
  }
  /** Runs a command until it ends well. */
  async until(script: string, seconds = 60): Promise<void> {
    for (const ends = Date.now() + seconds * 1000; ; await sleep(200)) {
      const done = await this.run(script).then(
        () => true,
        () => false,
      );
      if (done) return;
      if (Date.now() > ends) throw new Error(`not in time: ${script}`);
    }
  }

  async stop(): Promise<void> {
    await this.#front.stop();
    await this.#sshd.stop();
    await this.endServices();
    await Promise.all([...this.#listeners.values()].map(endProcess));
    await endProcess(this.#child);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const LISTEN = `
import socket, sys
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind((sys.argv[1], int(sys.argv[2])))
server.listen(64)
print('ready', flush=True)
while True:
    server.accept()[0].close()
`;

/** What makes a host out of namespaces; nothing of it is seen outside of them. */
function setupOf(folder: string, { name, devices, links }: HostOptions): string {
  const over = (file: string, target: string): string => `mount --bind ${folder}/etc/${file} ${target}`;
  return [
    'mount --make-rprivate /',
    'mount -t sysfs sysfs /sys',
    // Sockets and process ids of services are its own.
    'mount -t tmpfs tmpfs /run',
    'ip link set lo up',
    `hostname ${name}`,
    ...['hostname', 'machine-id', 'hosts', 'sudoers'].map((file) => over(file, `/etc/${file}`)),
    over('boot-id', '/proc/sys/kernel/random/boot_id'),
    `mount --bind ${folder}/ssh /etc/ssh`,
    `mount -t tmpfs tmpfs ${folder}/dev`,
    ...['null', 'zero', 'urandom', 'random'].flatMap((node) => [
      `: >${folder}/dev/${node}`,
      `mount --bind /dev/${node} ${folder}/dev/${node}`,
    ]),
    `ln -s /proc/self/fd ${folder}/dev/fd`,
    ...devices.map((device) => `: >${folder}/dev/${device}`),
    ...Object.entries(links).flatMap(([path, device]) => [
      `mkdir -p "$(dirname ${folder}${path})"`,
      `ln -s /dev/${device} ${folder}${path}`,
    ]),
    `mount --rbind ${folder}/dev /dev`,
  ].join('\n');
}

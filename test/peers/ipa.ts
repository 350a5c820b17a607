import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const VERSION = '13.0.0';

/** The programs that the agent calls while it starts, and the packages of Debian and Ubuntu that have them. */
const PROGRAMS = {
  lsblk: 'util-linux',
  lscpu: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
  udevadm: 'udev',
  lshw: 'lshw',
  ip: 'iproute2',
  ethtool: 'ethtool',
} as const;

/** Mounts that are made in it are seen by nobody else. */
const OWN_NAMESPACE = ['unshare', '--mount', '--propagation', 'private'] as const;

/** A real ironic-python-agent that runs as a process of this machine. */
export interface RealAgent {
  /** What it has written so far. */
  readonly output: () => string;
  readonly port: number;
  /** The code that it ended with; null while it runs. */
  readonly exitCode: () => number | null;
  stop(): Promise<void>;
}

export interface RealAgentOptions {
  /** The conductor: `<gateway>/agent/<token>`. */
  readonly apiUrl: string;
  /** The one network interface that the machine has, as far as this agent can tell. */
  readonly mac: string;
}

/**
 * Starts the agent in a mount namespace of its own: there /dev/null lies over every disk, so that it cannot
 * write to one whatever it is told, and its run-time folder is a file system in memory. Needs root.
 */
export async function startRealAgent({ apiUrl, mac }: RealAgentOptions): Promise<RealAgent> {
  const venv = await installed();
  const port = await freePort();
  const script = `
    set -e
    for disk in $(lsblk -rno KNAME); do [ ! -b "/dev/$disk" ] || mount --bind /dev/null "/dev/$disk"; done
    mkdir -p /run/ironic-python-agent
    mount -t tmpfs none /run/ironic-python-agent
    exec "$@"`;
  // One interface with a MAC address of ours, so that several agents can be several machines.
  const program = `
import os
from ironic_python_agent.cmd.agent import run
from ironic_python_agent import netutils
netutils.list_interfaces = lambda: ['lo']
netutils.get_mac_addr = lambda name: os.environ['AGENT_MAC']
run()`;
  const options = {
    api_url: apiUrl,
    advertise_host: '127.0.0.1',
    advertise_port: String(port),
    listen_host: '127.0.0.1',
    listen_port: String(port),
    disk_wait_attempts: '1',
    disk_wait_delay: '0',
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const python = [join(venv, 'bin', 'python'), '-c', program, ...words];
  const child = spawn(
    OWN_NAMESPACE[0],
    [...OWN_NAMESPACE.slice(1), 'bash', '-c', script, 'agent', ...python],
    { env: { ...process.env, AGENT_MAC: mac }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-200_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return { output: () => text, port, exitCode: () => child.exitCode, stop: () => end(child) };
}

/** Whether this machine can run it: root, and the programs that it calls. */
export async function missingForRealAgent(): Promise<string[]> {
  const missing: string[] = process.getuid?.() === 0 ? [] : ['root'];
  for (const [program, aptPackage] of Object.entries(PROGRAMS)) {
    await run('sh', ['-c', `command -v ${program}`]).catch(() =>
      missing.push(`${program} (apt: ${aptPackage})`),
    );
  }
  return missing;
}

/** The virtual environment with the agent; several test processes may ask for it at once. */
async function installed(): Promise<string> {
  const peers = resolve(process.env['RACKWRIGHT_PEERS'] ?? join('.rackwright', 'peers'));
  const venv = join(peers, 'venv-ipa');
  const done = join(venv, `ironic-python-agent-${VERSION}`);
  const lock = `${venv}.lock`;
  await mkdir(peers, { recursive: true });
  for (let waited = 0; waited < 600 && !existsSync(done); waited += 1) {
    if (existsSync(lock) && !(await held(lock))) await rm(lock, { force: true });
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' });
    } catch {
      await sleep(500);
      continue;
    }
    try {
      if (existsSync(done)) break;
      await run('python3', ['-m', 'venv', '--clear', venv]);
      const pip = ['install', '--quiet', `ironic-python-agent==${VERSION}`];
      await run(join(venv, 'bin', 'pip'), pip, { timeout: 300_000 });
      await writeFile(done, '');
    } finally {
      await rm(lock, { force: true });
    }
  }
  if (!existsSync(done)) throw new Error(`${lock} is still there: another process installs the agent`);
  return venv;
}

/** Whether the process that took the lock still runs; an empty lock was just made. */
async function held(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
  if (!Number.isInteger(pid) || pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(5_000, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endProcess, freePort, pythonVenv } from './peer.ts';

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

/** The Python environment of the agent. */
export const agentVenv = (): Promise<string> => pythonVenv('ipa', `ironic-python-agent==${VERSION}`);

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
  /** What its media hold. */
  readonly parameters: { readonly [key: string]: string };
  /** The one network interface that the machine has, as far as this agent can tell. */
  readonly mac: string;
  /** The LLDP frame that this interface receives, in hexadecimal and without its Ethernet header. */
  readonly lldp?: string;
}

/**
 * Starts the agent in a mount namespace of its own: there /dev/null lies over every disk, so that it cannot
 * write to one whatever it is told, and its run-time folder is a file system in memory. Needs root.
 */
export async function startRealAgent({ parameters, mac, lldp = '' }: RealAgentOptions): Promise<RealAgent> {
  const venv = await agentVenv();
  const port = await freePort();
  const script = `
    set -e
    for disk in $(lsblk -rno KNAME); do [ ! -b "/dev/$disk" ] || mount --bind /dev/null "/dev/$disk"; done
    mkdir -p /run/ironic-python-agent
    mount -t tmpfs none /run/ironic-python-agent
    exec "$@"`;
  // Its parameters, as if they had been read from its media; and one interface with a MAC address of ours, so
  // that several agents can be several machines, which receives an LLDP frame of ours.
  const program = `
import json, os
from ironic_python_agent import utils
utils._set_cached_params(json.loads(os.environ['AGENT_PARAMETERS']))
from ironic_python_agent.cmd.agent import run
from ironic_python_agent import netutils
netutils.list_interfaces = lambda: ['lo']
netutils.get_mac_addr = lambda name: os.environ['AGENT_MAC']
frame = bytes.fromhex(os.environ['AGENT_LLDP'])
netutils.get_lldp_info = lambda names: {'lo': netutils._parse_tlv(frame)}
run()`;
  const options = {
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
    {
      env: {
        ...process.env,
        AGENT_MAC: mac,
        AGENT_LLDP: lldp,
        AGENT_PARAMETERS: JSON.stringify(parameters),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let text = '';
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-200_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return { output: () => text, port, exitCode: () => child.exitCode, stop: () => endProcess(child) };
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

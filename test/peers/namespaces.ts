import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { endProcess } from './peer.ts';

const run = promisify(execFile);
const UNSHARE = '/usr/bin/unshare';
export const NSENTER = '/usr/bin/nsenter';

/** Namespaces that live until this process, or who holds them, ends. */
export async function namespaces(kinds: readonly string[], setup: string): Promise<ChildProcess> {
  const child = spawn(UNSHARE, [...kinds, '--', 'sh', '-ec', `${setup}\necho ready; exec cat`], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let wrong = '';
  child.stderr.on('data', (piece: Buffer) => (wrong += piece.toString()));
  process.once('exit', () => child.kill('SIGKILL'));
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(`namespaces: ${wrong}`);
    }),
  ]);
  return child;
}

/** Words of nsenter that enter them. */
export const inside = (child: ChildProcess, ...kinds: string[]): string[] => [
  '-t',
  String(child.pid),
  ...kinds,
];

/** A switch that hosts are plugged into, on no network of this machine; it may have an address of its own. */
export class Switch {
  readonly #child: ChildProcess;
  private constructor(child: ChildProcess) {
    this.#child = child;
  }
  static async start(address: string): Promise<Switch> {
    const setup = `ip link set lo up; ip link add br0 type bridge; ip link set br0 up; ip addr add ${address} dev br0`;
    return new Switch(await namespaces(['--net'], setup));
  }
  get pid(): number {
    return this.#child.pid!;
  }
  async run(script: string): Promise<void> {
    await run(NSENTER, [...inside(this.#child, '-n'), 'sh', '-ec', script]);
  }
  stop(): Promise<void> {
    return endProcess(this.#child);
  }
}

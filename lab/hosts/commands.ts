import { spawn, type ChildProcess } from 'node:child_process';
import type { ServerChannel } from 'ssh2';

/**
 * The command `$1` by a shell of its own, in its own group of processes. The group ends with whoever holds the other
 * end of descriptor 3: also when that is killed.
 */
const GUARDED = [
  '(while read -r _ <&3; do :; done; kill -KILL -$$) </dev/null >/dev/null 2>&1 &',
  'exec sh -c "$1" 3<&-',
].join('\n');

/** Exit codes of a shell for what a signal has ended. */
const BY_SIGNAL = 137;

/** The commands that run now, by the ids of their groups. */
export class Commands {
  readonly #running = new Set<ChildProcess>();

  /** Runs a command for a channel, until it ends or the channel does. */
  run(channel: ServerChannel, command: string, env: NodeJS.ProcessEnv): void {
    const child = spawn('/bin/sh', ['-c', GUARDED, 'sh', command], {
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.stdin!.on('error', () => undefined);
    child.stdio[3]!.on('error', () => undefined);
    channel.on('error', () => undefined);
    channel.pipe(child.stdin!);
    child.stdout!.pipe(channel, { end: false });
    child.stderr!.pipe(channel.stderr, { end: false });
    channel.once('close', () => this.#end(child));
    child.once('exit', () => this.#end(child));
    child.once('error', () => channel.close());
    child.once('close', (code) => {
      this.#running.delete(child);
      channel.exit(code ?? BY_SIGNAL);
      channel.end();
    });
  }

  endAll(): void {
    for (const child of this.#running) this.#end(child);
  }

  #end(child: ChildProcess): void {
    (child.stdio[3] as { destroy(): void } | null)?.destroy();
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDir } from '../../activities/datadir.ts';
import { fail } from '../../core/errors/failure.ts';
import { forgetPid, notePid } from './pid-files.ts';
import { end, gone, processOf } from './process-table.ts';

/** What to run, and how to tell that it does its work. */
export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Ours tell over a channel that they are ready, and end when it closes. */
  readonly channel: boolean;
  /** For the others: asked again and again until it is true. */
  readonly probe?: () => Promise<boolean>;
}

const READY_MS = 90_000;
const GRACE_MS = 35_000;
const MAX_LOG_BYTES = 20 * 1024 * 1024;
/** So many unexpected ends within the window, and we give up. */
const MAX_ENDS = 6;
const WINDOW_MS = 120_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** A child process that is kept alive until it is stopped. It has its own process group: Ctrl-C is ours. */
export class Supervised {
  readonly name: string;
  readonly logFile: string;
  readonly #spec: ProcessSpec;
  readonly #dir: DataDir;
  readonly #onGiveUp: (error: Error) => void;
  readonly #note: (line: string) => void;
  #child: ChildProcess | undefined;
  #stopping = false;
  #ready = false;
  #ends: number[] = [];
  #restart: NodeJS.Timeout | undefined;

  constructor(
    spec: ProcessSpec,
    dir: DataDir,
    hooks: { onGiveUp: (error: Error) => void; note: (line: string) => void },
  ) {
    this.name = spec.name;
    this.logFile = join(dir.logs, `${spec.name}.log`);
    this.#spec = spec;
    this.#dir = dir;
    this.#onGiveUp = hooks.onGiveUp;
    this.#note = hooks.note;
  }

  /** Starts it and waits until it does its work. Throws PROCESS_ENDED, naming its log. */
  async start(): Promise<void> {
    const child = this.#spawn();
    const told = new Promise<void>((resolve) => {
      child.on('message', (message) => {
        if ((message as { ready?: boolean }).ready) resolve();
      });
    });
    const over = new Promise<never>((_, reject) => {
      child.once('exit', () => reject(this.#failed('ended before it was ready')));
      child.once('error', () => reject(this.#failed('could not be started')));
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#failed(`is not ready after ${READY_MS / 1000} s`)), READY_MS);
    });
    over.catch(() => undefined);
    try {
      await Promise.race([this.#spec.channel ? told : this.#probed(child), over, late]);
      this.#ready = true;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it in order, and by force if that takes too long. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const pid = this.#child?.pid;
    const seen = pid === undefined ? undefined : processOf(pid);
    if (seen) await end(seen, GRACE_MS);
    if (seen) await gone(seen, 1000);
    forgetPid(this.#dir, this.name);
  }

  #spawn(): ChildProcess {
    const log = openLog(this.logFile);
    const child = spawn(this.#spec.command, this.#spec.args, {
      stdio: this.#spec.channel ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    if (child.pid !== undefined) notePid(this.#dir, this.name, child.pid);
    child.once('exit', (code, signal) => this.#ended(code, signal));
    return child;
  }

  async #probed(child: ChildProcess): Promise<void> {
    while (child.exitCode === null && child.signalCode === null) {
      if (await this.#spec.probe?.()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #ended(code: number | null, signal: string | null): void {
    if (this.#stopping || !this.#ready) return;
    const now = Date.now();
    this.#ends = [...this.#ends.filter((at) => now - at < WINDOW_MS), now];
    if (this.#ends.length >= MAX_ENDS) {
      this.#stopping = true;
      return this.#onGiveUp(this.#failed(`ended ${MAX_ENDS} times in ${WINDOW_MS / 1000} s`));
    }
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#ends.length - 1), LONGEST_PAUSE_MS);
    this.#note(`${this.name} ended (${signal ?? code}); it is started again (log: ${this.logFile})`);
    this.#restart = setTimeout(() => void this.#spawn(), pause);
  }

  #failed(what: string): Error {
    return fail('PROCESS_ENDED', `${this.name} ${what}; its log is ${this.logFile}.`);
  }
}

/** Opens a log for appending; a long one is put aside first. */
export function openLog(path: string): number {
  try {
    if (statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // There is none yet.
  }
  return openSync(path, 'a', 0o600);
}

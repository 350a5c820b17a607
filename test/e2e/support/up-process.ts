import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cliCommand } from './cli.ts';

const READY_MS = 180_000;
const STOP_MS = 90_000;

export interface UpperOptions {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The file that its stderr goes to. */
  readonly log: string;
}

/** The process of `rackwright up`, from start to start. */
export class Upper {
  readonly #options: UpperOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(null);

  constructor(options: UpperOptions) {
    this.#options = options;
  }

  /** Starts it and waits for its `ready` line, whose words are answered. */
  async start(): Promise<Record<string, string>> {
    const { args, env, log } = this.#options;
    const stderr = openSync(log, 'a');
    const child = spawn(...cliCommand(args), { env, stdio: ['ignore', 'pipe', stderr] });
    closeSync(stderr);
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    let stdout = '';
    const ready = new Promise<string>((resolve) => {
      child.stdout!.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        const line = /^ready .*$/m.exec(stdout)?.[0];
        if (line !== undefined && stdout.includes('\n')) resolve(line);
      });
    });
    const line = await within(READY_MS, Promise.race([ready, this.#ended.then(() => undefined)]));
    if (typeof line !== 'string') {
      await this.stop();
      throw new Error(`\`up\` ${line === undefined ? 'ended' : 'was not ready in time'}:\n${tail(log)}`);
    }
    return Object.fromEntries(
      line
        .split(' ')
        .slice(1)
        .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
    );
  }

  /** Ends it in order, by force if that takes too long; answers its exit code. */
  async stop(): Promise<number | null> {
    this.#child?.kill('SIGTERM');
    const code = await within(STOP_MS, this.#ended);
    if (code !== LATE) return code;
    this.#child?.kill('SIGKILL');
    await this.#ended;
    throw new Error(`\`up\` did not end within ${STOP_MS / 1000} s:\n${tail(this.#options.log)}`);
  }

  /** After it was killed from elsewhere: waits until it is buried. */
  async reap(): Promise<void> {
    if ((await within(STOP_MS, this.#ended)) === LATE) throw new Error('`up` was killed and goes on');
  }
}

const LATE = Symbol('late');

async function within<T>(ms: number, work: Promise<T>): Promise<Awaited<T> | typeof LATE> {
  const over = new AbortController();
  const late = async (): Promise<typeof LATE> => {
    await sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    return LATE;
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    over.abort();
  }
}

const tail = (file: string): string => readFileSync(file, 'utf8').split('\n').slice(-40).join('\n');

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_MS = 180_000;
const END_MS = 10_000;
const PAUSE_MS = 100;

/** A program that is started, each in a group of its own: what it starts itself goes with it. */
export interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Where what it says goes. */
  readonly log: string;
  /** Whether it can be used; asked until it can. */
  ready?(): Promise<boolean>;
}

/** The programs of one peer: started, ended and killed one by one, and all of them gone with this process. */
export class Programs {
  readonly #running = new Map<string, ChildProcess>();

  constructor() {
    process.once('exit', () => {
      for (const child of this.#running.values()) signal(child, 'SIGKILL');
    });
  }

  /** Starts it, unless it runs, and waits until it can be used. */
  async start(program: Program): Promise<void> {
    if (this.isRunning(program.name)) return;
    const log = openSync(program.log, 'a');
    const [command, ...args] = program.command;
    const child = spawn(command!, args, {
      detached: true,
      env: { ...clean(process.env), ...program.env },
      stdio: ['ignore', log, log],
    });
    child.once('error', () => undefined);
    closeSync(log);
    this.#running.set(program.name, child);
    await this.#usable(program, child);
  }

  isRunning(name: string): boolean {
    const child = this.#running.get(name);
    return child !== undefined && !ended(child);
  }

  pid(name: string): number | undefined {
    return this.isRunning(name) ? this.#running.get(name)?.pid : undefined;
  }

  /** Ends it in order; after ten seconds for good. */
  async stop(name: string): Promise<void> {
    const child = this.#running.get(name);
    if (child === undefined) return;
    const ends = Date.now() + END_MS;
    if (!ended(child)) child.kill('SIGTERM');
    while (!ended(child) && Date.now() < ends) await sleep(PAUSE_MS);
    await this.kill(name);
  }

  /** As a power cut would: it and all that it started are gone at once. */
  async kill(name: string): Promise<void> {
    const child = this.#running.get(name);
    if (child === undefined) return;
    signal(child, 'SIGKILL');
    while (!ended(child) && child.pid !== undefined) await sleep(10);
    this.#running.delete(name);
  }

  async #usable({ name, log, ready }: Program, child: ChildProcess): Promise<void> {
    if (ready === undefined) return;
    const ends = Date.now() + READY_MS;
    while (!(await ready())) {
      if (ended(child) || child.pid === undefined || Date.now() > ends) {
        const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-3_000) : '';
        await this.kill(name);
        throw new Error(`${name} did not come up:\n${said}`);
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Whether something speaks HTTP there, whatever it says. */
export const speaksHttp = (url: string): Promise<boolean> =>
  request(url, { headersTimeout: 60_000 }).then(
    async ({ body }) => (await body.dump(), true),
    () => false,
  );

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group is gone already.
  }
}

/** What a login to another cloud says in the environment must not reach these. */
const clean = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(OS_|MYSQL|MARIADB|RABBITMQ|ERL_)/.test(name)),
  );

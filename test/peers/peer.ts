import { execFile, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../../client/up/ports.ts';

/** What all third-party programs of tests have in common: where they are installed, and how they end. */

const run = promisify(execFile);
const PAUSE_MS = 500;
const INSTALL_MS = 600_000;

/**
 * A Python virtual environment with one requirement, made once in `.rackwright/peers` (or
 * `RACKWRIGHT_PEERS`). Several test processes may ask for it at once: one installs, the others wait. What a
 * killed installation left is cleared.
 *
 * @param requirement of pip, pinned: `ironic==39.0.0`
 * @returns the folder of the environment
 */
export async function pythonVenv(name: string, requirement: string): Promise<string> {
  const peers = resolve(process.env['RACKWRIGHT_PEERS'] ?? join('.rackwright', 'peers'));
  const venv = join(peers, `venv-${name}`);
  const done = join(venv, `.${requirement}`);
  const lock = `${venv}.lock`;
  await mkdir(peers, { recursive: true });
  const ends = Date.now() + INSTALL_MS;
  while (!existsSync(done)) {
    if (Date.now() > ends) throw new Error(`${lock} is still there: another process installs ${requirement}`);
    if (existsSync(lock) && !(await held(lock))) await rm(lock, { force: true });
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' });
    } catch {
      await sleep(PAUSE_MS);
      continue;
    }
    try {
      if (existsSync(done)) break;
      await run('python3', ['-m', 'venv', '--clear', venv]);
      const pip = ['-m', 'pip', 'install', '--quiet', requirement];
      await run(join(venv, 'bin', 'python'), pip, { timeout: INSTALL_MS });
      await writeFile(done, '');
    } finally {
      await rm(lock, { force: true });
    }
  }
  return venv;
}

/** Whether the process that took the lock still runs: one that was killed leaves it behind. */
async function held(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
  // Between its creation and its first byte, a lock is empty for a moment: it counts as held.
  if (!Number.isInteger(pid) || pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Ends a process in order, and after five seconds for good. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(5_000, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await ended;
}

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0]!;

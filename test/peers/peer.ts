import { execFile, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../../client/up/ports.ts';
import { once, peersFolder } from './once.ts';

/** What all third-party programs of tests have in common: where they are installed, and how they end. */

const run = promisify(execFile);
const INSTALL_MS = 600_000;

/**
 * A Python virtual environment with one requirement or several, made once in `.rackwright/peers` (or
 * `RACKWRIGHT_PEERS`). What a killed installation left is cleared.
 *
 * @param requirement of pip, pinned: `ironic==39.0.0`; several with a space between them
 * @param system whether it is the system's Python and sees the packages that the system has for it
 * @returns the folder of the environment
 */
export async function pythonVenv(name: string, requirement: string, system = false): Promise<string> {
  const venv = join(peersFolder(), `venv-${name}`);
  const done = join(venv, `.${requirement}`);
  await once(done, `${venv}.lock`, async () => {
    const see = system ? ['--system-site-packages'] : [];
    await run(system ? '/usr/bin/python3' : 'python3', ['-m', 'venv', '--clear', ...see, venv]);
    const pip = ['-m', 'pip', 'install', '--quiet', ...requirement.split(' ')];
    await run(join(venv, 'bin', 'python'), pip, { timeout: INSTALL_MS });
    await writeFile(done, '');
  });
  return venv;
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

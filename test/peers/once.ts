import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What tests install or build takes long, is made once, and outlives the checkout. */

const PAUSE_MS = 500;
const MAKE_MS = 20 * 60_000;

/** Where it lies: `.rackwright/peers`, or what `RACKWRIGHT_PEERS` says. */
export const peersFolder = (): string =>
  resolve(process.env['RACKWRIGHT_PEERS'] ?? join('.rackwright', 'peers'));

/**
 * Has something made, once: several test processes may ask at once, and then one makes it and the others wait.
 *
 * @param made what is there when it was made, and not before
 * @param lock a file that holds who makes it; one that a killed process left is taken over
 */
export async function once(made: string, lock: string, make: () => Promise<void>): Promise<void> {
  await mkdir(dirname(lock), { recursive: true });
  const ends = Date.now() + MAKE_MS;
  while (!existsSync(made)) {
    if (Date.now() > ends) throw new Error(`${lock} is still there: another process makes ${made}`);
    if (existsSync(lock) && !(await held(lock))) await rm(lock, { force: true });
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' });
    } catch {
      await sleep(PAUSE_MS);
      continue;
    }
    try {
      if (!existsSync(made)) await make();
    } finally {
      await rm(lock, { force: true });
    }
  }
}

/** The same for a file or folder that is made aside, and put in its place as a whole. */
export async function builtOnce(path: string, build: (aside: string) => Promise<void>): Promise<string> {
  await once(path, `${path}.lock`, async () => {
    const aside = `${path}.aside`;
    // Only who holds the lock is here: what lies aside was left by somebody who was killed.
    for (const name of await readdir(dirname(path)))
      if (name.startsWith(basename(aside)))
        await rm(join(dirname(path), name), { recursive: true, force: true });
    await build(aside);
    await rename(aside, path);
  });
  return path;
}

/** Which of these programs are not on this machine's path. */
export function missingPrograms(programs: readonly string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return programs.filter((each) => !folders.some((folder) => existsSync(join(folder, each))));
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

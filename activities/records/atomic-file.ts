import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const TEMPORARY = '.tmp-';
const LEFTOVER_MS = 3_600_000;

/** Whether an error of the file system has one of these codes. */
export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  typeof error === 'object' && error !== null && codes.includes(String((error as { code?: unknown }).code));

/** Makes a name durable that was added to or taken from the folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeTemporary(folder: string, content: string | Uint8Array): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${TEMPORARY}${process.pid}-${randomBytes(8).toString('hex')}`);
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return path;
}

/** Replaces a file as a whole: a reader sees the old bytes or the new ones, also after a crash. Mode 0600. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = await writeTemporary(folder, content);
  try {
    await rename(temporary, path);
  } catch (error) {
    await removeFile(temporary);
    throw error;
  }
  await syncFolder(folder);
}

/**
 * Creates a file as a whole, once: of any number of writers in any number of processes one wins.
 *
 * @returns false if the file was there already; it is then untouched
 */
export async function createFile(path: string, content: string | Uint8Array): Promise<boolean> {
  const folder = dirname(path);
  const temporary = await writeTemporary(folder, content);
  try {
    await link(temporary, path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await removeFile(temporary);
  }
  await syncFolder(folder);
  return true;
}

/** Removes a file; that it is gone already is fine. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}

/** Names in a folder, sorted, without those of unfinished writes; none if there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith(TEMPORARY)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Removes what writers that were killed left in the folder more than an hour ago. */
export async function sweepLeftovers(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(TEMPORARY)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > LEFTOVER_MS) await removeFile(path);
  }
}

import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';

/** What Python, its tools and editors leave beside sources; none of it is part of what is built. */
const LEFTOVER = /^(\..*|__pycache__|build|dist|.*\.egg-info|.*\.pyc)$/;

/** A name for the content of files and folders, and for some words: it changes when one of them does. */
export async function contentKey(paths: readonly string[], words: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(words));
  for (const path of paths) {
    for (const file of await filesOf(path)) {
      const bytes = await readFile(file);
      hash.update(JSON.stringify([join(basename(path), relative(path, file)), bytes.length])).update(bytes);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !relative(path, file)
          .split(sep)
          .some((part) => LEFTOVER.test(part)),
    )
    .sort();
}

const UNUSED_MS = 3 * 24 * 3600_000;
const KEYED = /-[0-9a-f]{16}(\.\w+)?$/;

/** Removes what had the same name under another key and was used by nobody for days; marks this one as used. */
export async function forgetUnused(folder: string, used: string): Promise<void> {
  const now = new Date();
  await utimes(used, now, now);
  const name = basename(used).replace(KEYED, '');
  const kept = basename(used).replace(/\.\w+$/, '');
  for (const other of await readdir(folder)) {
    if (other.startsWith(kept) || !KEYED.test(other) || other.replace(KEYED, '') !== name) continue;
    const path = join(folder, other);
    const last = await stat(path).catch(() => undefined);
    if (last !== undefined && now.getTime() - last.mtimeMs > UNUSED_MS)
      await rm(path, { recursive: true, force: true });
  }
}

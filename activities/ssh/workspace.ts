import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'rackwright-ssh-';
/** Nothing that runs on a host is waited for as long as this: a folder that old was left by a killed worker. */
const LEFTOVER_MS = 3_600_000;
/** In memory, where there is such a folder: a key then never gets onto a disk. */
const IN_MEMORY = '/dev/shm';

/** What OpenSSH's client reads and writes during one command, in a folder that nobody else may look into. */
export interface Workspace {
  readonly keyFile: string;
  readonly knownHostsFile: string;
  readonly logFile: string;
}

/** The name under which the pinned key of a host stands in the file of known hosts. */
export const PINNED = 'pinned-by-the-contract';

/** Runs `use` with the key in a file of mode 0600, and removes it, however that ends. */
export async function withWorkspace<T>(
  { key, hostKey }: { readonly key: string; readonly hostKey: string | undefined },
  use: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const base = await access(IN_MEMORY, constants.W_OK).then(
    () => IN_MEMORY,
    () => tmpdir(),
  );
  await sweep(base);
  const folder = await mkdtemp(join(base, PREFIX));
  try {
    const keyFile = join(folder, 'key');
    const knownHostsFile = join(folder, 'known_hosts');
    // OpenSSH takes a key only with the newline at its end, and none with carriage returns.
    await writeFile(keyFile, `${key.replaceAll('\r', '').trimEnd()}\n`, { mode: 0o600, flag: 'wx' });
    if (hostKey !== undefined) await writeFile(knownHostsFile, `${PINNED} ${hostKey}\n`, { mode: 0o600 });
    return await use({ keyFile, knownHostsFile, logFile: join(folder, 'log') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Removes what killed workers of this user left. Anybody may put something of that name there: what is another's,
 * or a link, or open to others, is none of ours.
 */
async function sweep(base: string, now = Date.now()): Promise<void> {
  const names = await readdir(base).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const path = join(base, name);
    const left = await lstat(path).then(
      (entry) => isOurs(entry) && now - entry.mtimeMs > LEFTOVER_MS,
      () => false,
    );
    if (left) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

const isOurs = (entry: Stats): boolean =>
  entry.isDirectory() && entry.uid === process.getuid?.() && (entry.mode & 0o077) === 0;

/** The most that the client's log gets: one that is as long as this is not whole. */
export const MAX_LOG_BYTES = 1024 * 1024;

/** The log of the client, as far as it is read. */
export async function readLog({
  logFile,
}: Workspace): Promise<{ text: string; whole: boolean; there: boolean }> {
  const file = await open(logFile).catch(() => undefined);
  if (file === undefined) return { text: '', whole: true, there: false };
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LOG_BYTES), 0, MAX_LOG_BYTES, 0);
    const text = buffer.toString('utf8', 0, bytesRead);
    return { text, whole: bytesRead < MAX_LOG_BYTES, there: true };
  } finally {
    await file.close();
  }
}

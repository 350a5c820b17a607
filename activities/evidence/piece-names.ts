import { stat, utimes } from 'node:fs/promises';
import { hasCode, namesIn } from '../records/atomic-file.ts';

/** `<seq>-<step>.<name>[.r<run>].json` */
export const FILE_NAME = /^(\d{4,9})-([a-zA-Z0-9][a-zA-Z0-9_-]{0,63}(?:\.[a-zA-Z0-9_-]{1,70}){1,2})\.json$/;

/** How many folders are remembered: a worker writes to few at a time. */
const MOST_FOLDERS = 32;

interface Folder {
  /** The names of its pieces, without their ending, by key. */
  readonly pieces: Map<string, string>;
  last: number;
  /** The time of change that this process gave it; not known: it is looked at again. */
  changed: bigint | undefined;
}

/** Writes a piece under the name that is due to it. One at a time for each folder. */
export type WritePiece = <T>(folder: string, key: string, write: (piece: string) => Promise<T>) => Promise<T>;

/**
 * Gives a piece its old name, or the next number. A folder is listed once, and again when somebody else has changed it
 * since, as another process does to which an attempt has moved.
 *
 * Two processes that write at the same time may give the same number to two pieces. The key is part of the name, so
 * that neither takes the other's place.
 *
 * @param list the names in a folder
 */
export function pieceNames(list: (folder: string) => Promise<readonly string[]> = namesIn): WritePiece {
  const known = new Map<string, Folder>();

  async function lookAt(path: string): Promise<Folder> {
    const pieces = new Map<string, string>();
    let last = 0;
    for (const file of await list(path)) {
      const [, sequence, key] = FILE_NAME.exec(file) ?? [];
      if (sequence === undefined || key === undefined) continue;
      if (!pieces.has(key)) pieces.set(key, file.slice(0, -'.json'.length));
      last = Math.max(last, Number(sequence));
    }
    return { pieces, last, changed: undefined };
  }

  async function remembered(path: string): Promise<Folder | undefined> {
    const folder = known.get(path);
    // Until it is written, what is known of it may be out of date.
    known.delete(path);
    if (folder?.changed === undefined) return undefined;
    return (await changedAt(path)) === folder.changed ? folder : undefined;
  }

  return async (path, key, write) => {
    const folder = (await remembered(path)) ?? (await lookAt(path));
    const old = folder.pieces.get(key);
    const piece = old ?? `${String(folder.last + 1).padStart(4, '0')}-${key}`;
    const written = await write(piece);
    folder.pieces.set(key, piece);
    if (old === undefined) folder.last += 1;
    folder.changed = await mark(path);
    known.set(path, folder);
    const [oldest] = known.keys();
    if (known.size > MOST_FOLDERS && oldest !== undefined) known.delete(oldest);
    return written;
  };
}

/**
 * Gives a folder a time of change that is its own: whatever is changed from then on gives it a later one. The time that
 * it has by itself would not tell, as it may stand still for some milliseconds.
 */
async function mark(path: string): Promise<bigint | undefined> {
  const own = Date.now() / 1000 - 1 - Math.random();
  try {
    await utimes(path, own, own);
    return await changedAt(path);
  } catch (error) {
    // A folder of another user takes names, and no times.
    if (hasCode(error, 'EPERM', 'EACCES', 'ENOENT')) return undefined;
    throw error;
  }
}

/** When a name was last added to a folder or taken from it. */
async function changedAt(path: string): Promise<bigint | undefined> {
  try {
    return (await stat(path, { bigint: true })).mtimeNs;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

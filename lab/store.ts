import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file whole or not at all: whoever reads it sees the old or the new, also after kill -9. */
export function writeAtomic(path: string, data: string | Uint8Array, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.next`;
  writeFileSync(next, data, { mode });
  renameSync(next, path);
}

/** A value that lives in one file. `save` returns when the file is written. */
export interface Saved<T> {
  value: T;
  save(): void;
}

/** Opens the value of a file; `initial` makes it when there is none yet. */
export function saved<T>(path: string, initial: () => T): Saved<T> {
  const fresh = !existsSync(path);
  const value = fresh ? initial() : (JSON.parse(readFileSync(path, 'utf8')) as T);
  const cell: Saved<T> = { value, save: () => writeAtomic(path, `${JSON.stringify(cell.value, null, 2)}\n`) };
  if (fresh) cell.save();
  return cell;
}

/** One line of a server's log: a write request that its BMC got, or something that really happened. */
export interface LogEntry {
  readonly seq: number;
  readonly time: string;
  readonly event: string;
  readonly [detail: string]: unknown;
}

/** A log of JSON lines; every entry is in the file when `append` returns. */
export interface EventLog {
  append(event: string, details?: Record<string, unknown>): void;
  entries(): LogEntry[];
}

export function eventLog(path: string): EventLog {
  mkdirSync(dirname(path), { recursive: true });
  dropTornLine(path);
  const entries = (): LogEntry[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as LogEntry)
      : [];
  let seq = entries().at(-1)?.seq ?? 0;
  return {
    entries,
    append(event, details = {}) {
      const entry: LogEntry = { seq: ++seq, time: new Date().toISOString(), event, ...details };
      appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    },
  };
}

/** A kill in the middle of an append leaves half a line, which nobody was told about. */
function dropTornLine(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) truncateSync(path, end);
}

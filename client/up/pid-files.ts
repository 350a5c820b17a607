import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDir } from '../../activities/datadir.ts';
import { processOf, type Seen } from './process-table.ts';

const fileOf = (dir: DataDir, name: string): string => join(dir.run, `${name}.pid`);

/** Notes a process that works for this data directory. */
export function notePid(dir: DataDir, name: string, pid: number): Seen | undefined {
  const seen = processOf(pid);
  if (seen) writeFileSync(fileOf(dir, name), `${JSON.stringify(seen)}\n`, { mode: 0o600 });
  return seen;
}

/**
 * The process that was noted under this name and still lives. A number that the system has given to
 * another process since is not it: time of start and command must be those that were noted.
 */
export function livingPid(dir: DataDir, name: string): Seen | undefined {
  try {
    const noted = JSON.parse(readFileSync(fileOf(dir, name), 'utf8')) as Seen;
    const now = processOf(noted.pid);
    return now?.startTime === noted.startTime && now.command === noted.command ? now : undefined;
  } catch {
    return undefined;
  }
}

export const forgetPid = (dir: DataDir, name: string): void => rmSync(fileOf(dir, name), { force: true });

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process as the system sees it. Number and time of start together are never given twice. */
export interface Seen {
  readonly pid: number;
  readonly startTime: string;
  readonly command: string;
}

/** The process of this number, if one lives (a zombie does not). */
export function processOf(pid: number): Seen | undefined {
  try {
    if (process.platform !== 'linux') return fromPs(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; the fields after it are fixed.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, startTime: fields[19] ?? '', command };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): Seen | undefined {
  const ps = (format: string): string =>
    execFileSync('ps', ['-p', String(pid), '-o', `${format}=`], { encoding: 'utf8' }).trim();
  return { pid, startTime: ps('lstart'), command: ps('command') };
}

/** Waits until a process is gone. @returns false if it is not after that time */
export async function gone(seen: Seen, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (processOf(seen.pid)?.startTime === seen.startTime) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

/** Ends a process: in order, and after the grace by force. */
export async function end(seen: Seen, graceMs: number): Promise<void> {
  for (const [signal, wait] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', 5000],
  ] as const) {
    if (processOf(seen.pid)?.startTime !== seen.startTime) return;
    try {
      process.kill(seen.pid, signal);
    } catch {
      return;
    }
    if (await gone(seen, wait)) return;
  }
}

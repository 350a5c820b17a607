import { dataDirPaths, type DataDir } from '../../../activities/datadir.ts';
import { livingPid } from '../../../client/up/pid-files.ts';
import { gone, processOf, type Seen } from '../../../client/up/process-table.ts';

/** In the order in which they end. */
const NAMES = ['up', 'worker', 'gateway', 'temporal', 'lab'] as const;
export type ProcessName = (typeof NAMES)[number];

export interface NamedProcess extends Seen {
  readonly name: ProcessName;
}

const GONE_MS = 10_000;

/** Every process that a data directory was seen to run, so that none outlives the test. */
export class ProcessLedger {
  readonly #dir: DataDir;
  readonly #known = new Map<string, NamedProcess>();

  constructor(dataDir: string) {
    this.#dir = dataDirPaths(dataDir);
    // Nothing can be awaited here: whatever was noted is killed at once.
    process.once('exit', () => this.#alive().forEach(kill));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(130));
  }

  /** Notes what runs now, and answers it. */
  note(): Partial<Record<ProcessName, Seen>> {
    const running: Partial<Record<ProcessName, Seen>> = {};
    for (const name of NAMES) {
      const seen = livingPid(this.#dir, name);
      if (seen === undefined) continue;
      running[name] = seen;
      this.#known.set(`${seen.pid}/${seen.startTime}`, { ...seen, name });
    }
    return running;
  }

  /** Kills these, and waits until they are gone. Throws if one of them does not run. */
  async kill9(names: readonly ProcessName[]): Promise<void> {
    const running = this.note();
    const seen = names.map((name) => {
      const found = running[name];
      if (found === undefined) throw new Error(`there is no ${name} to kill`);
      return found;
    });
    seen.forEach(kill);
    await Promise.all(seen.map(requireGone));
  }

  /** Ends what is left of all that were ever noted, and answers what that was. */
  async endAll(): Promise<NamedProcess[]> {
    this.note();
    const left = this.#alive();
    left.forEach(kill);
    await Promise.all(left.map(requireGone));
    return left;
  }

  #alive(): NamedProcess[] {
    return [...this.#known.values()].filter(({ pid, startTime }) => processOf(pid)?.startTime === startTime);
  }
}

function kill({ pid }: Seen): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

async function requireGone(seen: Seen): Promise<void> {
  if (!(await gone(seen, GONE_MS))) throw new Error(`process ${seen.pid} survives SIGKILL`);
}

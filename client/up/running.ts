import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDir } from '../../activities/datadir.ts';
import { removeFile, replaceFile } from '../../activities/records/atomic-file.ts';

/** What `rackwright up` leaves in its data directory, so that other commands find what runs. */
export interface Running {
  readonly pid: number;
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly gatewayUrl: string;
  readonly inventory: string;
  readonly site: string;
}

const fileOf = (dir: DataDir): string => join(dir.run, 'up.json');

/** What runs, or ran last, with this data directory; undefined if nothing ever did. */
export function readRunning(dir: DataDir): Running | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dir), 'utf8')) as Running;
  } catch {
    return undefined;
  }
}

export const writeRunning = (dir: DataDir, running: Running): Promise<void> =>
  replaceFile(fileOf(dir), `${JSON.stringify(running, null, 2)}\n`);

export const forgetRunning = (dir: DataDir): Promise<void> => removeFile(fileOf(dir));

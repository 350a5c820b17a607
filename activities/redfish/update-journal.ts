import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../core/errors/failure.ts';
import { asNumber, asObject, asText, textsOf } from '../../core/redfish/read.ts';
import { hasCode, removeFile, replaceFile } from '../records/atomic-file.ts';
import { safeName } from '../records/safe-names.ts';

/**
 * How far an update has come: it is about to be asked for; it was accepted; the host goes off and comes on
 * for it; the host was restarted.
 */
const STAGES = ['asking', 'asked', 'off', 'on', 'restarted'] as const;
export type UpdateStage = (typeof STAGES)[number];

/** The one update of a node that is under way. Plain JSON; without addresses that hold tokens. */
export interface UpdateEntry {
  readonly component: string;
  readonly version: string;
  readonly requestId: string;
  /** Of the operation: a resume makes it one more. */
  readonly stretch: number;
  readonly stage: UpdateStage;
  /** When it was asked for, in milliseconds since 1970. */
  readonly askedAt: number;
  /** Tasks about updates that there were before. */
  readonly before: readonly string[];
  readonly task: string | null;
  /** What the task last looked like, and since when. */
  readonly look: string | null;
  readonly lookSince: number;
  /** When its task was first seen ended, and when the host had been restarted. */
  readonly endedAt: number | null;
  readonly restartedAt: number | null;
  /** How often a refused login was tried again while the BMC came back. */
  readonly logins: number;
}

/**
 * Which update of each node is under way, on disk: written before a BMC is asked and after, so that a worker
 * that is killed takes up what it began, and asks for nothing twice.
 */
export interface UpdateJournal {
  read(node: string): Promise<UpdateEntry | undefined>;
  write(node: string, entry: UpdateEntry): Promise<void>;
  remove(node: string): Promise<void>;
}

/** A journal with a file for each node, in a folder of its own. Throws STORE_CORRUPT. */
export function fileUpdateJournal(folder: string): UpdateJournal {
  const pathOf = (node: string): string => join(folder, `${safeName(node)}.json`);
  return {
    async read(node) {
      const path = pathOf(node);
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw error;
      });
      if (text === undefined) return undefined;
      const entry = entryOf(text);
      if (entry !== undefined) return entry;
      throw fail('STORE_CORRUPT', `${path} is no journal of an update. Look at the BMC, then remove it.`);
    },
    write: (node, entry) => replaceFile(pathOf(node), `${JSON.stringify(entry, null, 2)}\n`),
    remove: (node) => removeFile(pathOf(node)),
  };
}

function entryOf(text: string): UpdateEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const v = asObject(value);
  const [component, version, requestId] = [v['component'], v['version'], v['requestId']].map(asText);
  const stage = STAGES.find((each) => each === v['stage']);
  const [askedAt, stretch] = [asNumber(v['askedAt']), asNumber(v['stretch'])];
  if (!component || !version || !requestId || !stage || askedAt === null || stretch === null)
    return undefined;
  return {
    component,
    version,
    requestId,
    stretch,
    stage,
    askedAt,
    before: textsOf(v['before']),
    task: asText(v['task']),
    look: asText(v['look']),
    lookSince: asNumber(v['lookSince']) ?? askedAt,
    endedAt: asNumber(v['endedAt']),
    restartedAt: asNumber(v['restartedAt']),
    logins: asNumber(v['logins']) ?? 0,
  };
}

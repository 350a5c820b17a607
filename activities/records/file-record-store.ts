import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../core/canonical-json.ts';
import { fail } from '../../core/errors/failure.ts';
import { createFile, hasCode, namesIn, removeFile, sweepLeftovers } from './atomic-file.ts';
import type { Generational, RecordStore } from './record-store.ts';
import { safeName } from './safe-names.ts';

/** Generations of a record that are kept. */
const KEPT = 20;
const READ_TRIES = 5;
const PARALLEL_READS = 32;

const generationsIn = async (folder: string): Promise<number[]> =>
  (await namesIn(folder))
    .flatMap((name) => /^([1-9]\d{0,15})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

const fileOf = (folder: string, generation: number): string => join(folder, `${generation}.json`);

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parseRecord<R extends Generational>(text: string, path: string): R {
  try {
    return JSON.parse(text) as R;
  } catch (cause) {
    throw fail('STORE_CORRUPT', `The record ${path} is not JSON any more.`, {}, { cause });
  }
}

/** Drops all but the newest generations, oldest first: `isStale` relies on the order. */
async function prune(folder: string): Promise<void> {
  const generations = await generationsIn(folder);
  for (const generation of generations.slice(0, -KEPT)) await removeFile(fileOf(folder, generation));
  await sweepLeftovers(folder);
}

/**
 * Whether a file that was just created took a place that had been used and pruned long ago.
 * Then the generation before it is gone too, or, for the first one, more than `KEPT` came later.
 */
export async function isStale(folder: string, generation: number): Promise<boolean> {
  const present = await generationsIn(folder);
  return generation === 1 ? (present.at(-1) ?? 1) > KEPT : !present.includes(generation - 1);
}

/**
 * Node records as files: `<root>/<site>/<node>/<generation>.json`, each created once and never
 * changed. Creating a generation's file is the compare-and-set, across processes and crashes.
 */
export function fileRecordStore<R extends Generational>(root: string): RecordStore<R> {
  const folderOf = (site: string, node: string): string => join(root, safeName(site), safeName(node));

  const readNewest = async (folder: string): Promise<R | undefined> => {
    for (let attempt = 0; attempt < READ_TRIES; attempt += 1) {
      const newest = (await generationsIn(folder)).at(-1);
      if (newest === undefined) return undefined;
      const path = fileOf(folder, newest);
      const text = await readText(path);
      if (text !== undefined) return parseRecord<R>(text, path);
    }
    throw fail('STORE_CORRUPT', `The newest record in ${folder} cannot be read: it keeps vanishing.`);
  };

  return {
    async read(site, node) {
      return readNewest(folderOf(site, node));
    },

    async write(record, expectedGeneration) {
      const { generation } = record;
      if (!Number.isSafeInteger(generation) || generation < 1 || generation !== expectedGeneration + 1) {
        throw fail(
          'GENERATION_CONFLICT',
          `A record of generation ${generation} cannot follow generation ${expectedGeneration}.`,
        );
      }
      const folder = folderOf(record.site, record.node);
      const path = fileOf(folder, generation);
      const content = `${canonicalJson(record)}\n`;
      const newest = (await generationsIn(folder)).at(-1) ?? 0;
      if (newest === expectedGeneration && (await createFile(path, content))) {
        if (await isStale(folder, generation)) {
          await removeFile(path);
          return 'conflict';
        }
        await prune(folder);
        return 'written';
      }
      return (await readText(path)) === content ? 'written' : 'conflict';
    },

    async list(site) {
      const folder = join(root, safeName(site));
      const nodes = await namesIn(folder);
      const records: R[] = [];
      for (let start = 0; start < nodes.length; start += PARALLEL_READS) {
        const batch = nodes.slice(start, start + PARALLEL_READS);
        const read = await Promise.all(batch.map((node) => readNewest(folderOf(site, node))));
        records.push(...read.filter((record) => record !== undefined));
      }
      return records;
    },
  };
}

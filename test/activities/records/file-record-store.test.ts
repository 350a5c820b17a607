import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileRecordStore, isStale } from '../../../activities/records/file-record-store.ts';
import type { Generational, RecordStore } from '../../../activities/records/record-store.ts';

interface Entry extends Generational {
  readonly by: readonly string[];
}

let root: string;
let store: RecordStore<Entry>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'records-'));
  store = fileRecordStore<Entry>(root);
});
afterEach(() => rmSync(root, { recursive: true }));

const entry = (generation: number, ...by: string[]): Entry => ({ site: 's1', node: 'n1', generation, by });
const files = (): string[] => readdirSync(join(root, 's1', 'n1')).sort();

async function writeUpTo(last: number): Promise<void> {
  for (let g = 1; g <= last; g += 1) expect(await store.write(entry(g, `w${g}`), g - 1)).toBe('written');
}

describe('the record store', () => {
  test('reads what was written, the newest of it', async () => {
    expect(await store.read('s1', 'n1')).toBeUndefined();
    await writeUpTo(12);
    expect(await store.read('s1', 'n1')).toEqual(entry(12, 'w12'));
    expect(await store.read('s1', 'n2')).toBeUndefined();
  });

  test('lists the newest record of each node of the site', async () => {
    expect(await store.list('s1')).toEqual([]);
    await writeUpTo(2);
    const other = { site: 's1', node: 'a.b-c', generation: 1, by: [] };
    await store.write(other, 0);
    await store.write({ ...other, site: 's2' }, 0);
    expect(await store.list('s1')).toEqual([other, entry(2, 'w2')]);
  });

  // [generations there are, record written, expected generation, answer, newest afterwards]
  test.each<[number, Entry, number, string, Entry]>([
    [0, entry(1, 'x'), 0, 'written', entry(1, 'x')],
    [1, entry(1, 'x'), 0, 'conflict', entry(1, 'w1')],
    [1, entry(1, 'w1'), 0, 'written', entry(1, 'w1')],
    [3, entry(3, 'w3'), 2, 'written', entry(3, 'w3')],
    [3, entry(2, 'w2'), 1, 'written', entry(3, 'w3')],
    [3, entry(2, 'x'), 1, 'conflict', entry(3, 'w3')],
    [3, entry(4, 'x'), 3, 'written', entry(4, 'x')],
    [3, entry(5, 'x'), 4, 'conflict', entry(3, 'w3')],
    [30, entry(2, 'x'), 1, 'conflict', entry(30, 'w30')],
    [30, entry(2, 'w2'), 1, 'conflict', entry(30, 'w30')],
  ])('%i there, write %j over %i: %s', async (last, record, expected, answer, newest) => {
    await writeUpTo(last);
    expect(await store.write(record, expected)).toBe(answer);
    expect(await store.read('s1', 'n1')).toEqual(newest);
  });

  test('a record that does not follow its generation is refused', async () => {
    for (const [generation, expected] of [
      [2, 0],
      [0, -1],
      [1, 1],
      [1.5, 0.5],
    ] as const) {
      await expect(store.write(entry(generation), expected)).rejects.toMatchObject({
        failure: { code: 'GENERATION_CONFLICT' },
      });
    }
  });

  test('keeps the last 20 generations and nothing else, open to their owner only', async () => {
    await writeUpTo(25);
    const kept = Array.from({ length: 20 }, (_, i) => `${i + 6}.json`).sort();
    expect(files()).toEqual(kept);
    expect(statSync(join(root, 's1', 'n1', '25.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 's1', 'n1')).mode & 0o777).toBe(0o700);
  });

  test('what a killed writer left is not read, and swept after an hour', async () => {
    await writeUpTo(1);
    const [old, fresh] = ['.tmp-1-aa', '.tmp-1-bb'].map((name) => join(root, 's1', 'n1', name)) as [
      string,
      string,
    ];
    writeFileSync(old, '{"half');
    writeFileSync(fresh, '{"half');
    utimesSync(old, new Date(0), new Date(0));
    expect(await store.read('s1', 'n1')).toEqual(entry(1, 'w1'));
    await store.write(entry(2), 1);
    expect(files()).toEqual(['.tmp-1-bb', '1.json', '2.json']);
  });

  test('a record that is no JSON any more is an error, never an older record', async () => {
    await writeUpTo(2);
    writeFileSync(join(root, 's1', 'n1', '2.json'), '{"site":');
    await expect(store.read('s1', 'n1')).rejects.toMatchObject({ failure: { code: 'STORE_CORRUPT' } });
  });

  test.each(['..', '.', '', 'a/b', '../x', 'A', 'x'.repeat(64), 'a\0', '.hidden', 7, null])(
    'the name %j touches no file',
    async (name) => {
      mkdirSync(join(root, 'sentinel'));
      const bad = name as string;
      const refused = { failure: { code: 'STORE_NAME_INVALID' } };
      await expect(store.read('s1', bad)).rejects.toMatchObject(refused);
      await expect(store.read(bad, 'n1')).rejects.toMatchObject(refused);
      await expect(store.list(bad)).rejects.toMatchObject(refused);
      await expect(store.write({ ...entry(1), node: bad }, 0)).rejects.toMatchObject(refused);
      expect(readdirSync(root)).toEqual(['sentinel']);
    },
  );
});

describe('many writers at once', () => {
  // A writer that looked, was stopped for a long time, and then created its file: 5 to 24 are there.
  test.each([
    [1, true],
    [2, true],
    [4, true],
    [6, false],
    [24, false],
    [25, false],
  ])('creating generation %i beside 5 to 24 is stale: %s', async (generation, stale) => {
    const folder = join(root, 's1', 'n1');
    mkdirSync(folder, { recursive: true });
    for (let g = 5; g <= 24; g += 1) writeFileSync(join(folder, `${g}.json`), '{}');
    writeFileSync(join(folder, `${generation}.json`), '{}');
    expect(await isStale(folder, generation)).toBe(stale);
  });

  test('of those that write one generation, one wins', async () => {
    await writeUpTo(3);
    const writers = Array.from({ length: 24 }, (_, i) => `p${i}`);
    const answers = await Promise.all(
      writers.map((by) => fileRecordStore<Entry>(root).write(entry(4, by), 3)),
    );
    expect(answers.filter((answer) => answer === 'written')).toHaveLength(1);
    expect(await store.read('s1', 'n1')).toEqual(entry(4, writers[answers.indexOf('written')]!));
  });

  test('no write that was told to be written is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 1, max: 8 }),
        async (writers, writes) => {
          rmSync(root, { recursive: true });
          const told: string[] = [];
          const writer = async (id: number): Promise<void> => {
            const own = fileRecordStore<Entry>(root);
            let done = 0;
            for (let tries = 0; done < writes && tries < 1000; tries += 1) {
              const before = await own.read('s1', 'n1');
              const generation = before?.generation ?? 0;
              const mark = `${id}.${done}`;
              const answer = await own.write(entry(generation + 1, ...(before?.by ?? []), mark), generation);
              if (answer === 'conflict') continue;
              told.push(mark);
              done += 1;
            }
          };
          await Promise.all(Array.from({ length: writers }, (_, id) => writer(id)));
          const last = await store.read('s1', 'n1');
          expect(last?.generation).toBe(writers * writes);
          expect([...(last?.by ?? [])].sort()).toEqual(told.sort());
        },
      ),
      { numRuns: 15 },
    );
  });
});

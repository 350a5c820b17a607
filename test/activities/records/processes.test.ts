import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileRecordStore } from '../../../activities/records/file-record-store.ts';
import type { Generational } from '../../../activities/records/record-store.ts';

interface Entry extends Generational {
  readonly by: readonly string[];
}

const WRITES = 15;

/** A process that adds its marks to the record, and tells each one that was written. */
const WRITER = `
import { writeSync } from 'node:fs';
import { fileRecordStore } from './activities/records/file-record-store.js';
const [root, id] = process.argv.slice(2);
const store = fileRecordStore(root);
for (let done = 0, tries = 0; done < ${WRITES} && tries < 5000; tries += 1) {
  const before = await store.read('s', 'n');
  const generation = before?.generation ?? 0;
  const mark = id + '.' + done;
  const record = { site: 's', node: 'n', generation: generation + 1, by: [...(before?.by ?? []), mark] };
  if ((await store.write(record, generation)) === 'conflict') continue;
  writeSync(1, mark + '\\n');
  done += 1;
}
`;

let built: string;
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'writers-'));
  const options = `--ignoreConfig --outDir ${built} --rootDir . --module nodenext --target es2023
    --rewriteRelativeImportExtensions --skipLibCheck --types node`;
  const source = 'activities/records/file-record-store.ts';
  execFileSync('node_modules/.bin/tsc', [...options.split(/\s+/), source]);
  writeFileSync(join(built, 'package.json'), '{"type":"module"}');
  writeFileSync(join(built, 'writer.js'), WRITER);
});
afterAll(() => rmSync(built, { recursive: true }));

/** Runs a writer to its end; one that is to be killed is, after it told its third mark. */
function writer(root: string, id: string, kill: boolean): Promise<string[]> {
  const child = spawn(process.execPath, [join(built, 'writer.js'), root, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    told.push(line);
    if (kill && told.length === 3) child.kill('SIGKILL');
  });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', () => settle(told));
  });
}

test('writers in processes of their own, one of them killed, lose no write that was told', async () => {
  const root = mkdtempSync(join(tmpdir(), 'records-'));
  try {
    const ids = ['a', 'b', 'c', 'd'];
    const told = await Promise.all(ids.map((id) => writer(root, id, id === 'd')));
    const last = await fileRecordStore<Entry>(root).read('s', 'n');
    const kept = last?.by ?? [];
    expect(told.slice(0, 3).map((marks) => marks.length)).toEqual([WRITES, WRITES, WRITES]);
    expect(told[3]!.length).toBeGreaterThanOrEqual(3);
    expect(kept).toEqual(expect.arrayContaining(told.flat()));
    expect(new Set(kept).size).toBe(kept.length);
    expect(last?.generation).toBe(kept.length);
    // The killed one may have written one mark more than it could tell.
    expect(kept.length - told.flat().length).toBeLessThanOrEqual(1);
  } finally {
    rmSync(root, { recursive: true });
  }
});

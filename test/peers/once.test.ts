import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtOnce } from './once.ts';

/** Above any process id that Linux gives. */
const NOBODY = '4194305';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-once-'));
  path = join(folder, 'made');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('builds once, whoever asks, and gives everybody the same', async () => {
  let builds = 0;
  const ask = (): Promise<string> =>
    builtOnce(path, async (aside) => {
      builds += 1;
      writeFileSync(aside, `build ${builds}`);
      // Takes longer than it takes the others to see that there is a lock.
      for (let turn = 0; turn < 200; turn += 1) await readdir(folder);
    });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([path, path, path]);
  await ask();
  expect([builds, readFileSync(path, 'utf8')]).toEqual([1, 'build 1']);
});

it('leaves nothing in its place when a build fails, and builds at the next time', async () => {
  const fails = builtOnce(path, async (aside) => {
    writeFileSync(aside, 'half of it');
    throw new Error('no space left');
  });
  await expect(fails).rejects.toThrow('no space left');
  expect(existsSync(path)).toBe(false);
  await builtOnce(path, async (aside) => {
    expect(existsSync(aside)).toBe(false);
    writeFileSync(aside, 'all of it');
  });
  expect(readFileSync(path, 'utf8')).toBe('all of it');
});

it('takes over from a process that was killed, and clears what it had begun', async () => {
  writeFileSync(`${path}.lock`, NOBODY);
  writeFileSync(`${path}.aside.work`, 'begun');
  await builtOnce(path, async (aside) => writeFileSync(aside, 'new'));
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect([existsSync(`${path}.aside.work`), existsSync(`${path}.lock`)]).toEqual([false, false]);
});

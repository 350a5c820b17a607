import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentKey, forgetUnused } from './content-key.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'rackwright-key-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const key = (...words: string[]): Promise<string> => contentKey([join(folder, 'sources')], words);

describe('the key of what something is built of', () => {
  beforeEach(() => write('sources/package/a.py', 'one'));

  it('is the same for the same content and words', async () => {
    expect(await key('x')).toBe(await key('x'));
    expect(await key('x')).toMatch(/^[0-9a-f]{16}$/);
  });

  it('changes with a word, a byte, a name and a file more', async () => {
    const keys = [await key('x'), await key('y')];
    write('sources/package/a.py', 'two');
    keys.push(await key('x'));
    rmSync(join(folder, 'sources/package/a.py'));
    write('sources/package/b.py', 'two');
    keys.push(await key('x'));
    write('sources/package/c.py', '');
    keys.push(await key('x'));
    expect(new Set(keys).size).toBe(5);
  });

  it('stays where tools left something beside the sources', async () => {
    const before = await key();
    write('sources/package/__pycache__/a.cpython-311.pyc', 'compiled');
    write('sources/build/lib/a.py', 'copied');
    write('sources/package.egg-info/PKG-INFO', 'told');
    write('sources/.cache/x', 'kept');
    expect(await key()).toBe(before);
  });
});

describe('what is used no more', () => {
  const DAY = 24 * 3600;
  const put = (name: string, days: number): void => {
    write(name, '');
    const then = Date.now() / 1000 - days * DAY;
    utimesSync(join(folder, name), then, then);
  };

  it('is removed when it has the same name, another key, and was not used for days', async () => {
    const used = 'image-a-0123456789abcdef.raw';
    put(used, 9);
    put('image-a-0123456789abcdef.qcow2', 9);
    put('image-a-aaaaaaaaaaaaaaaa.raw', 9);
    put('image-a-bbbbbbbbbbbbbbbb.raw', 1);
    put('image-a-b-cccccccccccccccc.raw', 9);
    put('venv-ipa', 9);
    await forgetUnused(folder, join(folder, used));
    await forgetUnused(folder, join(folder, 'image-a-bbbbbbbbbbbbbbbb.raw'));
    expect(readdirSync(folder).toSorted()).toEqual([
      'image-a-0123456789abcdef.raw',
      'image-a-b-cccccccccccccccc.raw',
      'image-a-bbbbbbbbbbbbbbbb.raw',
      'venv-ipa',
    ]);
  });
});

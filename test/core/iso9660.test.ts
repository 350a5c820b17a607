import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { iso9660, isoFileBytes, readIso9660, readIso9660From } from '../../core/iso9660.ts';

const dir = mkdtempSync(join(tmpdir(), 'iso9660-'));
afterAll(() => rmSync(dir, { recursive: true }));

const bytes = (s: string): Uint8Array => new TextEncoder().encode(s);
const CONFIG_DRIVE = {
  label: 'config-2',
  files: [
    { path: 'openstack/latest/user_data', bytes: bytes('#!/bin/sh\n') },
    { path: 'openstack/latest/meta_data.json', bytes: bytes('{"uuid":"1"}') },
    { path: 'openstack/content/0000', bytes: new Uint8Array(5000).fill(7) },
    { path: 'empty', bytes: new Uint8Array() },
    ...Array.from({ length: 90 }, (_, i) => ({ path: `many/file-number-${i}.txt`, bytes: bytes(`${i}`) })),
  ],
};

const present = (tool: string): boolean => {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const judges = ['isoinfo', 'xorriso'].filter(present);

const run = (tool: string, args: string[]): Buffer =>
  execFileSync(tool, args, { stdio: ['ignore', 'pipe', 'pipe'] });

/** All files of an ISO as another program reads them. */
const judged: Record<string, (iso: string, path: string) => { list: string; label: string; bytes: Buffer }> =
  {
    isoinfo: (iso, path) => ({
      list: run('isoinfo', ['-i', iso, '-f']).toString(),
      label: run('isoinfo', ['-i', iso, '-d']).toString(),
      bytes: run('isoinfo', ['-i', iso, '-x', `/${path.includes('.') ? path : `${path}.`};1`]),
    }),
    xorriso: (iso, path) => {
      const xorriso = (...args: string[]): string =>
        run('xorriso', ['-report_about', 'FAILURE', '-osirrox', 'on', '-indev', iso, ...args]).toString();
      const out = join(dir, 'extracted');
      rmSync(out, { force: true });
      xorriso('-extract', `/${path}`, out);
      return {
        list: xorriso('-find', '/', '-type', 'f'),
        label: xorriso('-pvd_info'),
        bytes: readFileSync(out),
      };
    },
  };

describe('iso9660, judged by other programs', () => {
  it('has a judge on this machine', () => {
    if (process.env['CI'] === 'true') expect(judges, 'install genisoimage or xorriso').not.toEqual([]);
  });

  it.each(judges)('is read by %s: label, nested lower-case names, bytes', (tool) => {
    const iso = join(dir, `${tool}.iso`);
    writeFileSync(iso, iso9660(CONFIG_DRIVE));
    for (const file of CONFIG_DRIVE.files.slice(0, 3)) {
      const seen = judged[tool]!(iso, file.path);
      expect(seen.label).toMatch(/Volume id *: '?config-2/i);
      expect(seen.list).toContain(file.path);
      expect(Buffer.from(file.bytes).equals(seen.bytes)).toBe(true);
      expect(seen.list).toContain('many/file-number-89.txt');
    }
  });

  it.runIf(judges.includes('xorriso'))('reads what xorriso writes, with Rock Ridge names', () => {
    const tree = join(dir, 'tree', 'Some', 'Deep');
    mkdirSync(tree, { recursive: true });
    writeFileSync(join(tree, 'A Rather Long Name With Blanks And Capitals.Text'), 'here');
    const iso = join(dir, 'theirs.iso');
    run('xorriso', ['-as', 'mkisofs', '-R', '-V', 'THEIRS', '-o', iso, join(dir, 'tree')]);
    const volume = readFileSync(iso);
    expect(readIso9660(volume).label).toBe('THEIRS');
    const found = isoFileBytes(volume, 'Some/Deep/A Rather Long Name With Blanks And Capitals.Text');
    expect(Buffer.from(found ?? []).toString()).toBe('here');
  });
});

describe('iso9660', () => {
  it('gives the same bytes for the same files in any order', () => {
    const again = iso9660({ ...CONFIG_DRIVE, files: CONFIG_DRIVE.files.toReversed() });
    expect(Buffer.from(iso9660(CONFIG_DRIVE)).equals(again)).toBe(true);
  });

  it('is read back whole, asking a distant reader for the tree only', async () => {
    const volume = iso9660(CONFIG_DRIVE);
    let asked = 0;
    const distant = await readIso9660From(async (offset, length) => {
      asked += length;
      return volume.subarray(offset, offset + length);
    });
    expect(distant).toEqual(readIso9660(volume));
    expect(distant.files).toHaveLength(CONFIG_DRIVE.files.length);
    expect(asked).toBeLessThan(30_000);
    for (const file of CONFIG_DRIVE.files)
      expect(isoFileBytes(volume, file.path), file.path).toEqual(file.bytes);
    expect(isoFileBytes(volume, 'no/such')).toBeUndefined();
  });

  it.each([
    [{ label: 'two words', files: [] }],
    [{ label: 'x', files: [{ path: 'a/../b', bytes: bytes('') }] }],
    [{ label: 'x', files: [{ path: `${'n'.repeat(32)}`, bytes: bytes('') }] }],
    [
      {
        label: 'x',
        files: [
          { path: 'a', bytes: bytes('') },
          { path: 'A', bytes: bytes('') },
        ],
      },
    ],
    [
      {
        label: 'x',
        files: [
          { path: 'a', bytes: bytes('') },
          { path: 'a/b', bytes: bytes('') },
        ],
      },
    ],
  ])('refuses what a volume cannot carry: %j', (input) => {
    expect(() => iso9660(input)).toThrow(expect.objectContaining({ name: 'RackwrightError' }));
  });

  it('refuses damaged volumes instead of reading for ever', () => {
    const volume = iso9660(CONFIG_DRIVE);
    expect(() => readIso9660(new Uint8Array(40_960))).toThrow('not an ISO 9660');
    expect(() => readIso9660(volume.subarray(0, 40_000))).toThrow('cut short');
    const loop = volume.slice();
    const root = new DataView(volume.buffer).getUint32(16 * 2048 + 158, true) * 2048;
    loop.set(volume.subarray(root + 2, root + 18), root + 34 * 2 + 2);
    loop[root + 34 * 2 + 25] = 2;
    expect(() => readIso9660(loop)).toThrow('damaged');
  });
});

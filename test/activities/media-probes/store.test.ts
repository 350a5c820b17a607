import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileMediaProbes, type MediaProbes } from '../../../activities/media-probes/store.ts';
import { readIso9660 } from '../../../core/iso9660.ts';

let folder: string;
let probes: MediaProbes;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-probes-'));
  probes = fileMediaProbes(join(folder, 'media-probes'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const access = { at: '2026-03-01T00:00:00.000Z', method: 'HEAD', from: '10.0.0.1' };

it('opens an image of the node for its id alone, which is a volume that names it', async () => {
  await probes.open('n1', { id: 'a1', contractHash: 'c' });
  expect(await probes.find('n1', 'a2')).toBeUndefined();
  expect(await probes.find('n2', 'a1')).toBeUndefined();
  const found = (await probes.find('n1', 'a1'))!;
  expect(found).toMatchObject({ id: 'a1', contractHash: 'c' });
  const bytes = readFileSync(found.path);
  expect(bytes.length).toBe(found.size);
  const volume = readIso9660(bytes);
  expect(volume.label).toBe('RACKWRIGHT_PROBE');
  const readme = volume.files.find(({ path }) => path.toUpperCase() === 'README.TXT')!;
  expect(bytes.subarray(readme.offset, readme.offset + readme.size).toString()).toContain(
    'n1 reaches it: a1',
  );
});

it('notes who asked, and forgets it with the next image and when it is closed', async () => {
  await probes.open('n1', { id: 'a1', contractHash: 'c' });
  expect(await probes.accesses('n1')).toEqual([]);
  await probes.note('n1', access);
  await probes.note('n1', { ...access, refused: 'no' });
  expect(await probes.accesses('n1')).toEqual([access, { ...access, refused: 'no' }]);
  await probes.open('n1', { id: 'a2', contractHash: 'c' });
  expect(await probes.accesses('n1')).toEqual([]);
  expect(await probes.isOpen('n1')).toBe(true);
  await probes.close('n1');
  expect([await probes.isOpen('n1'), await probes.find('n1', 'a2')]).toEqual([false, undefined]);
  await probes.close('n1');
});

it('keeps so much of it, whatever asks how often', async () => {
  await probes.open('n1', { id: 'a1', contractHash: 'c' });
  for (let i = 0; i < 40; i++) await probes.note('n1', { ...access, agent: 'x'.repeat(4096) });
  expect((await probes.accesses('n1')).length).toBeLessThan(20);
});

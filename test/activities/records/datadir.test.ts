import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataDirPaths, openDataDir } from '../../../activities/datadir.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'datadir-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

test('the layout', () => {
  expect(dataDirPaths('/var/lib/rackwright')).toEqual({
    root: '/var/lib/rackwright',
    records: '/var/lib/rackwright/records',
    contracts: '/var/lib/rackwright/contracts',
    evidence: '/var/lib/rackwright/evidence',
    blobs: '/var/lib/rackwright/blobs',
    images: '/var/lib/rackwright/images/records',
    imageFiles: '/var/lib/rackwright/images/files',
    keys: '/var/lib/rackwright/keys',
    siteKey: '/var/lib/rackwright/keys/site.key',
    run: '/var/lib/rackwright/run',
    bmcSessions: '/var/lib/rackwright/bmc-sessions',
    inspections: '/var/lib/rackwright/inspections',
    standing: '/var/lib/rackwright/standing',
    firmware: '/var/lib/rackwright/firmware-updates',
    mediaProbes: '/var/lib/rackwright/media-probes',
    temporalDb: '/var/lib/rackwright/temporal.db',
    logs: '/var/lib/rackwright/logs',
    lab: '/var/lib/rackwright/lab',
  });
  expect(dataDirPaths().root).toBe(join(process.cwd(), '.rackwright'));
});

test('is made for its owner only, also where it was open, and may be opened again', () => {
  const paths = openDataDir(join(parent, 'a', 'data'));
  const mode = (path: string): number => statSync(path).mode & 0o777;
  chmodSync(paths.root, 0o755);
  expect(openDataDir(paths.root)).toEqual(paths);
  expect([mode(paths.root), mode(paths.keys), mode(paths.blobs), mode(paths.run)]).toEqual([
    0o700, 0o700, 0o700, 0o700,
  ]);
});

test.each(['file', 'file/data'])('where none can be made, in %s, it is refused', (name) => {
  writeFileSync(join(parent, 'file'), '');
  expect(() => openDataDir(join(parent, name))).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({
        code: 'INVALID_MESSAGE',
        message: expect.stringMatching(
          /^data-dir: no data directory can be made at .*file.*: (EEXIST|ENOTDIR)\.$/,
        ),
        correction: expect.stringContaining('--data-dir'),
      }),
    }),
  );
});

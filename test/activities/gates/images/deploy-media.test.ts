import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mediaBase } from '../../../../activities/agent/media-base.ts';
import { deployMedia } from '../../../../activities/gates/images/deploy-media.ts';
import { LAYOUT } from '../../../../core/agent/media-layout.ts';
import { blankArea, MEDIA_LABEL } from '../../../../core/agent/parameters.ts';
import { iso9660, readIso9660 } from '../../../../core/iso9660.ts';
import { aContext, contractOf, digest } from './support.ts';

const PARTS = {
  [LAYOUT.kernel]: Buffer.alloc(9000, 'kernel'),
  [LAYOUT.ramdisk]: Buffer.alloc(20_000, 'ramdisk'),
  [LAYOUT.esp]: Buffer.alloc(5000, 'esp'),
  [LAYOUT.menu]: Buffer.from('boot'),
};
const files = (parts: { [path: string]: Uint8Array } = PARTS) =>
  Object.entries(parts).map(([path, bytes]) => ({ path, bytes }));
const ISO = Buffer.from(
  iso9660({
    label: MEDIA_LABEL,
    files: [...files(), { path: LAYOUT.parameters, bytes: blankArea() }],
  }),
);
const RECORD = {
  checksum: digest(ISO),
  size: ISO.length,
  architecture: 'x86_64',
  append: '',
  files: Object.fromEntries(files().map(({ path, bytes }) => [path, digest(bytes)])),
};
/** The ISO with one byte of a file in it changed. */
const changed = (path: string): Buffer => {
  const bytes = Buffer.from(ISO);
  bytes[readIso9660(ISO).files.find((file) => file.path === path)!.offset + 10]! ^= 1;
  return bytes;
};

let folder: string;
let iso: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-media-'));
  iso = join(folder, 'base.iso');
  writeFileSync(iso, ISO);
  record(RECORD);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const record = (what: object | string): void =>
  writeFileSync(`${iso}.json`, typeof what === 'string' ? what : JSON.stringify(what));
const node = (name: string, over: object = {}) => ({
  name,
  type: 'plain',
  bmc: { address: 'https://127.0.0.1', credentials: { username: 'u', password: 'env:P' } },
  ports: [],
  ...over,
});
const contract = (media: object, nodes: object[] = []) =>
  contractOf({
    media: { gatewayUrl: 'http://127.0.0.1:1', iso, ...media },
    machineTypes: [{ name: 'plain' }],
    nodes,
  });
const run = async (media: object = {}, nodes: object[] = []) => {
  const context = await aContext(contract(media, nodes));
  return { ...(await deployMedia.run(context)), context };
};
const messages = async (media: object = {}, nodes: object[] = []): Promise<string> => {
  const { outcome, findings } = await run(media, nodes);
  expect(outcome).toBe('fail');
  return findings.map(({ failure }) => failure.message).join('\n');
};

describe('a base ISO', () => {
  it.each<[string, object]>([
    ['the record of its build', {}],
    ['contract and record', { checksum: digest(ISO) }],
  ])('that is what %s says passes, and its parts stand in the evidence', async (_what, media) => {
    const { context, ...result } = await run(media);
    expect(result).toMatchObject({ outcome: 'pass', targets: 1 });
    expect(context.kept['media.iso']).toMatchObject({
      answer: { checksum: digest(ISO), files: RECORD.files, reservedAreas: 1 },
    });
  });

  it('of our own passes with a checksum in the contract alone', async () => {
    rmSync(`${iso}.json`);
    expect(await run({ checksum: digest(ISO) })).toMatchObject({ outcome: 'pass' });
    expect(await messages()).toMatch(/^Nothing is recorded/);
  });

  it.each([LAYOUT.kernel, LAYOUT.ramdisk, LAYOUT.esp, LAYOUT.menu])(
    'of which /%s has another byte fails, with both digests and the part',
    async (path) => {
      // What the publisher has looked through once, it does not look through again for such a change.
      utimesSync(iso, 1000, 1000);
      await mediaBase(iso);
      if (path === LAYOUT.menu) writeFileSync(iso, withMenu('halt'));
      else writeFileSync(iso, changed(path));
      utimesSync(iso, 1000, 1000);
      expect((await mediaBase(iso)).sha256).toBe(digest(ISO).slice('sha256:'.length));
      const told = await messages();
      expect(told).toContain(digest(ISO));
      expect(told).toContain(digest(readFileSync(iso)));
      expect(told).toMatch(new RegExp(`Others than were recorded: /${path}\\.$`));
      expect(await messages({ checksum: digest(ISO) })).toContain(`and the contract ${digest(ISO)}`);
    },
  );

  it.each<[string, () => void, RegExp]>([
    ['is not there', () => rmSync(iso), /is not there/],
    ['is no ISO', () => writeFileSync(iso, Buffer.alloc(100_000)), /not an ISO 9660 volume/],
    ['has no reserved area', () => writeFileSync(iso, withoutArea()), /has no \/parameters\.txt/],
    ['has a record that is none', () => record('{'), /is no record of a build/],
    [
      'has the record of another',
      () => record({ ...RECORD, checksum: digest(Buffer.from('x')) }),
      /the record of its build/,
    ],
  ])('that %s fails', async (_what, spoil, expected) => {
    spoil();
    expect(await messages()).toMatch(expected);
    expect((await run()).findings[0]!.failure.faultDomain).toBe('media-publisher');
  });

  it('that a disk does not give is an error', async () => {
    expect(await run({ iso: '/proc/self/mem' })).toMatchObject({
      outcome: 'error',
      findings: [{ failure: { code: 'MEDIA_BASE_INVALID', details: { reason: 'EIO' } } }],
    });
  });

  it('under the name of another architecture fails, and so does one that nodes need and nobody named', async () => {
    expect(await run({ iso: { x86_64: iso }, checksum: { x86_64: digest(ISO) } })).toMatchObject({
      outcome: 'pass',
    });
    expect(await messages({ iso: { aarch64: iso } })).toMatch(/built for x86_64, .* for aarch64/);
    const needed = await run({ iso: { x86_64: iso } }, [node('a'), node('b', { architecture: 'aarch64' })]);
    expect(needed).toMatchObject({
      outcome: 'fail',
      targets: 2,
      findings: [{ target: 'media.iso.aarch64', failure: { faultDomain: 'contract' } }],
    });
  });
});

it('a contract without media has none to look at', () => {
  expect(deployMedia.skip!(contractOf({}))).toBe('the contract has no deploy media');
  expect(deployMedia.skip!(contract({}))).toBeUndefined();
});

function withoutArea(): Uint8Array {
  return iso9660({ label: MEDIA_LABEL, files: files() });
}

function withMenu(text: string): Uint8Array {
  const parts = { ...PARTS, [LAYOUT.menu]: Buffer.from(text) };
  return iso9660({
    label: MEDIA_LABEL,
    files: [...files(parts), { path: LAYOUT.parameters, bytes: blankArea() }],
  });
}

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { placeOf } from '../../../activities/images/image-bytes.ts';
import { promoteImage, rollbackImage, type ImageStore } from '../../../activities/images/promotion.ts';
import { fileRecordStore } from '../../../activities/records/file-record-store.ts';
import type { Image } from '../../../contracts/inventory/supply.ts';
import { currentVersion, type ImageRecord, type ImageVersion } from '../../../core/images.ts';
import { codeOf } from '../support.ts';

const asked = { at: '2026-01-01T00:00:00Z', by: 'ada', reason: null };
/** A disk with something of its own in it. */
const disk = (text: string): Buffer => {
  const bytes = Buffer.alloc(100_000, text);
  bytes.set([0x55, 0xaa], 510);
  return bytes;
};
const [ONE, TWO, BAD] = [disk('one'), disk('two'), disk('bad')];
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let folder: string;
let store: ImageStore;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-images-'));
  path = join(folder, 'ubuntu.raw');
  const records = fileRecordStore<ImageRecord>(join(folder, 'records'));
  store = { site: 'berlin', records, files: join(folder, 'files') };
});

const image = (bytes: Buffer, over: Partial<Image> = {}): Image => ({
  name: 'ubuntu',
  url: path,
  checksum: `sha256:${digest(bytes)}`,
  format: 'raw',
  ...over,
});
const current = async (): Promise<number | undefined> => {
  const record = await store.records.read('berlin', 'ubuntu');
  return record && currentVersion(record)?.version;
};
const kept = (version: ImageVersion): string => placeOf(version, store.files);
const keptFiles = (): string[] => (existsSync(store.files) ? readdirSync(store.files) : []);

describe('an image in a file', () => {
  it('is promoted, and its bytes are kept', async () => {
    writeFileSync(path, ONE);
    const { version, changed } = await promoteImage(store, image(ONE), asked);
    expect(changed).toBe(true);
    expect(version).toMatchObject({ version: 1, source: path, kept: true, size: ONE.length, by: 'ada' });
    writeFileSync(path, BAD);
    expect(readFileSync(kept(version)).equals(ONE)).toBe(true);
    expect(await current()).toBe(1);
  });

  it('with other bytes than the contract has is not, and nothing of it stays', async () => {
    writeFileSync(path, BAD);
    expect(await codeOf(promoteImage(store, image(ONE), asked))).toBe('IMAGE_CHECKSUM_MISMATCH');
    expect([await current(), keptFiles()]).toEqual([undefined, []]);
    expect(await store.records.read('berlin', 'ubuntu')).toBeUndefined();
  });

  it.each<[string, Buffer, Partial<Image>, string]>([
    ['is no disk', Buffer.alloc(5000), {}, 'IMAGE_UNSUITABLE'],
    ['is not of the format', ONE, { format: 'qcow2' }, 'IMAGE_UNSUITABLE'],
    ['has another size', ONE, { size: 7 }, 'IMAGE_UNSUITABLE'],
  ])('that %s is refused', async (_what, bytes, over, code) => {
    writeFileSync(path, bytes);
    expect(await codeOf(promoteImage(store, image(bytes, over), asked))).toBe(code);
    expect([await current(), keptFiles()]).toEqual([undefined, []]);
  });

  it('is kept without what a promotion that was killed long ago left', async () => {
    writeFileSync(path, ONE);
    mkdirSync(store.files, { recursive: true });
    const left = join(store.files, '.tmp-1-abc');
    writeFileSync(left, 'half');
    utimesSync(left, 0, 0);
    await promoteImage(store, image(ONE), asked);
    expect(keptFiles()).toEqual([digest(ONE)]);
  });

  it('that is not there is refused', async () => {
    expect(await codeOf(promoteImage(store, image(ONE), asked))).toBe('IMAGE_SOURCE_UNREACHABLE');
  });

  it('goes back to exactly the bytes before, though the source has others by now', async () => {
    writeFileSync(path, ONE);
    await promoteImage(store, image(ONE), asked);
    writeFileSync(path, TWO);
    await promoteImage(store, image(TWO), asked);
    const { version } = await rollbackImage(store, 'ubuntu', { ...asked, reason: 'panics' });
    expect(readFileSync(kept(version)).equals(ONE)).toBe(true);
    expect(version.checksum).toBe(`sha256:${digest(ONE)}`);
    expect(await current()).toBe(1);
    expect(await codeOf(rollbackImage(store, 'ubuntu', asked))).toBe('IMAGE_VERSION_UNKNOWN');
    await rollbackImage(store, 'ubuntu', { ...asked, to: 2 });
    expect(await current()).toBe(2);
  });

  it('does not go back to a copy that was changed', async () => {
    writeFileSync(path, ONE);
    const { version } = await promoteImage(store, image(ONE), asked);
    writeFileSync(path, TWO);
    await promoteImage(store, image(TWO), asked);
    writeFileSync(kept(version), BAD);
    expect(await codeOf(rollbackImage(store, 'ubuntu', asked))).toBe('IMAGE_CHECKSUM_MISMATCH');
    expect(await current()).toBe(2);
    // Promoted once more, the copy is made anew.
    writeFileSync(path, ONE);
    await promoteImage(store, image(ONE), asked);
    expect(readFileSync(kept(version)).equals(ONE)).toBe(true);
  });

  it('is refused a second writer in between, and keeps the first one', async () => {
    writeFileSync(path, ONE);
    const { records } = store;
    const late: ImageStore = {
      ...store,
      records: {
        ...records,
        read: async (site, name) => {
          const seen = await records.read(site, name);
          await promoteImage(store, image(ONE), { ...asked, by: 'first' });
          return seen;
        },
      },
    };
    expect(await codeOf(promoteImage(late, image(ONE), { ...asked, by: 'second' }))).toBe(
      'GENERATION_CONFLICT',
    );
    expect((await records.read('berlin', 'ubuntu'))?.changes.map(({ by }) => by)).toEqual(['first']);
  });
});

it('an image that was never promoted cannot go back', async () => {
  expect(await codeOf(rollbackImage(store, 'ubuntu', asked))).toBe('IMAGE_VERSION_UNKNOWN');
});

describe('an image behind http', () => {
  let source: Server;
  let url: string;
  let served: Buffer | 'cut' | undefined;
  beforeAll(async () => {
    source = createServer((_request, response) => {
      if (served === undefined) response.writeHead(404).end();
      else if (served === 'cut') {
        response.writeHead(200, { 'content-length': ONE.length });
        response.write(ONE.subarray(0, 1000), () => response.destroy());
      } else response.end(served);
    });
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/ubuntu.raw`;
  });
  afterAll(() => new Promise((resolve) => source.close(resolve)));

  it('is verified, and read from there', async () => {
    served = ONE;
    const { version } = await promoteImage(store, image(ONE, { url }), asked);
    expect(version).toMatchObject({ source: url, kept: false, size: ONE.length });
    expect(keptFiles()).toEqual([]);
  });

  it.each<[string, typeof served, string]>([
    ['has other bytes', BAD, 'IMAGE_CHECKSUM_MISMATCH'],
    ['breaks off', 'cut', 'IMAGE_SOURCE_UNREACHABLE'],
    ['is gone', undefined, 'IMAGE_SOURCE_UNREACHABLE'],
  ])('that %s is not promoted, and not gone back to', async (_what, bad, code) => {
    served = ONE;
    await promoteImage(store, image(ONE, { url }), asked);
    served = TWO;
    await promoteImage(store, image(TWO, { url: `${url}?2` }), asked);
    served = bad;
    expect(await codeOf(promoteImage(store, image(ONE, { url }), { ...asked, keep: true }))).toBe(code);
    expect(await codeOf(rollbackImage(store, 'ubuntu', asked))).toBe(code);
    expect([await current(), keptFiles()]).toEqual([2, []]);
    served = ONE;
    await rollbackImage(store, 'ubuntu', asked);
    expect(await current()).toBe(1);
  });

  it('is kept where that is wanted, and then needs its source no more', async () => {
    served = ONE;
    const { version } = await promoteImage(store, image(ONE, { url }), { ...asked, keep: true });
    expect(version).toMatchObject({ source: url, kept: true });
    served = TWO;
    await promoteImage(store, image(TWO, { url }), { ...asked, keep: true });
    served = undefined;
    await rollbackImage(store, 'ubuntu', asked);
    expect(await current()).toBe(1);
  });
});

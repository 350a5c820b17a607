import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileBlobStore } from '../../../activities/secrets/blob-store.ts';
import { deriveKey, siteKey } from '../../../activities/secrets/site-key.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const KEY = Buffer.alloc(32, 7);
const REQUEST = { site: 'test', node: 'n1', requestId: 'r1' };
const code = (value: string) => ({ failure: { code: value } });

describe('the blob store', () => {
  test('gives any bytes back, and never keeps them in clear', async () => {
    const store = fileBlobStore(folder, KEY);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 0, maxLength: 300 }), async (bytes) => {
        const { reference } = await store.put(bytes, REQUEST);
        expect(Buffer.compare(await store.get(reference), bytes)).toBe(0);
        const sealed = readFileSync(join(folder, reference.slice(5)));
        if (bytes.length >= 8) expect(sealed.includes(Buffer.from(bytes))).toBe(false);
        await store.delete(reference);
      }),
      { numRuns: 50 },
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test('has files of mode 0600, and a reference that tells nothing', async () => {
    const store = fileBlobStore(folder, KEY);
    const put = async (over: object = {}) =>
      (await store.put(Buffer.from('same'), { ...REQUEST, ...over })).reference;
    const all = [
      await put(),
      await put({ requestId: 'r2' }),
      await put({ node: 'n2' }),
      await put({ site: 's' }),
    ];
    for (const reference of all) expect(reference).toMatch(/^blob:[0-9a-f]{32}$/);
    const other = fileBlobStore(mkdtempSync(join(folder, 'other-')), Buffer.alloc(32, 8));
    all.push((await other.put(Buffer.from('same'), REQUEST)).reference);
    all.push((await store.put(Buffer.from('same '), REQUEST)).reference);
    expect(new Set(all).size).toBe(6);
    const [first, second] = all
      .slice(0, 2)
      .map((reference) => readFileSync(join(folder, reference.slice(5))));
    expect(first?.equals(second!)).toBe(false);
    expect(statSync(join(folder, all[0]!.slice(5))).mode & 0o777).toBe(0o600);
  });

  test('gives the same bytes of the same request the same reference, while it is there and after', async () => {
    const store = fileBlobStore(folder, KEY);
    const first = await store.put(Buffer.from('same'), REQUEST);
    expect(first.isNew).toBe(true);
    expect(await store.put(Buffer.from('same'), REQUEST)).toEqual({ ...first, isNew: false });
    await store.delete(first.reference);
    expect(await store.put(Buffer.from('same'), REQUEST)).toEqual(first);
    expect((await store.get(first.reference)).toString()).toBe('same');
  });

  test('a deleted blob is unknown, and may be deleted again', async () => {
    const store = fileBlobStore(folder, KEY);
    const { reference } = await store.put(Buffer.from('x'), REQUEST);
    await store.delete(reference);
    await store.delete(reference);
    await expect(store.get(reference)).rejects.toMatchObject(code('BLOB_UNKNOWN'));
  });

  test('every changed byte, a cut, another key, another place: refused', async () => {
    const store = fileBlobStore(folder, KEY);
    const { reference } = await store.put(Buffer.from('top secret'), REQUEST);
    const path = join(folder, reference.slice(5));
    const sealed = readFileSync(path);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      writeFileSync(path, changed);
      await expect(store.get(reference)).rejects.toMatchObject(code('STORE_CORRUPT'));
    }
    for (const length of [0, 3, 20, sealed.length - 1]) {
      writeFileSync(path, sealed.subarray(0, length));
      await expect(store.get(reference)).rejects.toMatchObject(code('STORE_CORRUPT'));
    }
    writeFileSync(path, sealed);
    await expect(fileBlobStore(folder, Buffer.alloc(32, 8)).get(reference)).rejects.toMatchObject(
      code('STORE_CORRUPT'),
    );
    writeFileSync(join(folder, 'f'.repeat(32)), sealed);
    await expect(store.get(`blob:${'f'.repeat(32)}`)).rejects.toMatchObject(code('STORE_CORRUPT'));
    expect((await store.get(reference)).toString()).toBe('top secret');
  });

  test.each(['', 'blob:', 'blob:../x', `blob:${'G'.repeat(32)}`, 'file:x'])(
    '%j is no reference',
    async (bad) => {
      const store = fileBlobStore(folder, KEY);
      await expect(store.get(bad)).rejects.toMatchObject(code('STORE_NAME_INVALID'));
      await expect(store.delete(bad)).rejects.toMatchObject(code('STORE_NAME_INVALID'));
    },
  );
});

describe('the site key', () => {
  test('is made once, also by many at once, and is for its owner only', async () => {
    const file = join(folder, 'keys', 'site.key');
    const keys = await Promise.all(Array.from({ length: 12 }, () => siteKey(file, { env: {} })));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await siteKey(file, { env: {} })).equals(keys[0]!)).toBe(true);
    expect(readdirSync(join(folder, 'keys'))).toEqual(['site.key']);
  });

  test('may be given by a reference, in hexadecimal or base64', async () => {
    const file = join(folder, 'site.key');
    const key = Buffer.alloc(32, 0xab);
    for (const text of [key.toString('hex'), key.toString('base64'), key.toString('base64url')]) {
      const env = { RACKWRIGHT_SITE_KEY: 'env:KEY', KEY: text };
      expect((await siteKey(file, { env })).equals(key)).toBe(true);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test('what is no key is refused, and not repeated', async () => {
    const file = join(folder, 'site.key');
    writeFileSync(file, 'hunter2');
    const error = await siteKey(file, { env: {} }).catch((caught: unknown) => caught);
    expect(error).toMatchObject(code('SITE_KEY_INVALID'));
    expect(String(error)).not.toContain('hunter2');
    await expect(siteKey(file, { env: { RACKWRIGHT_SITE_KEY: 'abcd' } })).rejects.toMatchObject(
      code('SECRET_UNRESOLVED'),
    );
  });

  test('keys for different purposes differ', () => {
    const purposes = ['blobs', 'tokens'].map((purpose) => deriveKey(KEY, purpose).toString('hex'));
    expect(new Set([...purposes, KEY.toString('hex')]).size).toBe(3);
    expect(deriveKey(KEY, 'blobs').toString('hex')).toBe(purposes[0]);
  });
});

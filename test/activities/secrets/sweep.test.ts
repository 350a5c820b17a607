import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileBlobStore } from '../../../activities/secrets/blob-store.ts';
import { keepSwept, sweepBlobs } from '../../../activities/secrets/sweep.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { until } from '../../workflows/support.ts';
import { aRecord, anInput, aSite } from '../support.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A site of whose blobs one is used by the operation of n1, one by none, and one was just put. */
async function scene() {
  const folder = temporaryFolder();
  const blobs = fileBlobStore(folder.path, new Uint8Array(32));
  const site = await aSite({ blobs });
  const put = async (requestId: string, age: number): Promise<string> => {
    const { reference } = await blobs.put(Buffer.from('secret'), { site: 'test', node: 'n1', requestId });
    const at = new Date(Date.now() - age);
    await utimes(join(folder.path, reference.slice(5)), at, at);
    return reference;
  };
  const [used, unused, fresh] = [
    await put('used', 30 * DAY),
    await put('lost', DAY + HOUR),
    await put('new', 0),
  ];
  const record = aRecord(anInput());
  const operation = { ...record.operation!, held: true, args: { image: 'a', userData: used } };
  await site.records.write({ ...record, operation }, 0);
  const left = async () => (await readdir(folder.path)).map((id) => `blob:${id}`).sort();
  return { folder, site, used, unused, fresh, left, put };
}

test('what no operation uses is deleted a day after it was last put, and nothing else', async () => {
  const { folder, site, used, fresh, left } = await scene();
  using _folder = folder;
  expect(await sweepBlobs(site)).toBe(1);
  expect(await left()).toEqual([used, fresh].sort());
  // The operation is over, or was lost: its record names it no more.
  await site.records.write({ ...aRecord(anInput({ generation: 2 })), operation: null }, 1);
  expect(await sweepBlobs(site)).toBe(1);
  expect(await left()).toEqual([fresh]);
});

test('a request that is repeated begins its day anew', async () => {
  const { folder, site, unused, left } = await scene();
  using _folder = folder;
  const again = await site.blobs.put(Buffer.from('secret'), { site: 'test', node: 'n1', requestId: 'lost' });
  expect(again).toEqual({ reference: unused, isNew: false });
  expect(await sweepBlobs(site)).toBe(0);
  expect(await left()).toContain(unused);
});

test('where it cannot be told what is used, nothing is deleted', async () => {
  const { folder, site, unused, left } = await scene();
  using _folder = folder;
  const records = { ...site.records, list: () => Promise.reject(new Error('unreadable')) };
  await expect(sweepBlobs({ ...site, records })).rejects.toThrow('unreadable');
  expect(await left()).toContain(unused);
});

test('at most a thousand are deleted at once', async () => {
  const { folder, site, put, left } = await scene();
  using _folder = folder;
  for (let i = 0; i < 1001; i++) await put(`r${i}`, 2 * DAY);
  expect(await sweepBlobs(site)).toBe(1000);
  expect(await left()).toHaveLength(4);
  expect(await sweepBlobs(site)).toBe(2);
});

test('a process that keeps them swept begins with it', async () => {
  const { folder, site, used, fresh, left } = await scene();
  using _folder = folder;
  const end = keepSwept(site);
  await until(async () => (await left()).length === 2);
  end();
  expect(await left()).toEqual([used, fresh].sort());
});

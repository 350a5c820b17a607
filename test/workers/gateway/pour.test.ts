import { createHash, randomFillSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pour } from '../../../workers/gateway/pour.ts';

const SIZE = 3 * 1024 * 1024 + 17;
const BYTES = randomFillSync(Buffer.alloc(SIZE));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let path: string;
let server: Server;
let poured: Promise<boolean>[] = [];
let before: () => void = () => undefined;
beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'rackwright-pour-')), 'file');
  writeFileSync(path, BYTES);
  poured = [];
  before = () => undefined;
  server = createServer((request, answer) => {
    const [start = 0, end = SIZE - 1] = request.url!.slice(1).split('-').filter(Boolean).map(Number);
    before();
    answer.writeHead(200, { 'content-length': end + 1 - start });
    poured.push(pour({ path }, { start, end }, answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (range = ''): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    get({ host: '127.0.0.1', port, path: `/${range}`, agent: false }, resolve).once('error', reject);
  });
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path ? [fd] : [];
    } catch {
      return [];
    }
  });
const closed = async (): Promise<void> => {
  while (openFiles().length > 0) await sleep(5);
};

it.each([
  ['all of it', '', 0, SIZE],
  ['one byte', '5-5', 5, 6],
  ['the end', `${SIZE - 3}-${SIZE - 1}`, SIZE - 3, SIZE],
  ['more than one piece', '1000-600000', 1000, 600_001],
])('sends %s, to several at once', async (_what, range, from, to) => {
  const expected = sha256(BYTES.subarray(from, to));
  const read = async (): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of await ask(range)) chunks.push(chunk as Buffer);
    return sha256(Buffer.concat(chunks));
  };
  expect(await Promise.all([read(), read(), read()])).toEqual([expected, expected, expected]);
  expect(await Promise.all(poured)).toEqual([true, true, true]);
  expect(openFiles()).toEqual([]);
});

it('sends the right bytes to one that reads slowly: no piece is used again before it was sent', async () => {
  const hash = createHash('sha256');
  for await (const chunk of await ask()) {
    await sleep(1);
    hash.update(chunk as Buffer);
  }
  expect(hash.digest('hex')).toBe(sha256(BYTES));
});

it('lets the file go when its reader goes away', async () => {
  const answer = await ask();
  answer.pause();
  expect(openFiles()).toHaveLength(1);
  answer.destroy();
  expect(await Promise.all(poured)).toEqual([false]);
  await closed();
});

it('breaks off where the file has become shorter: its reader must not take that for all', async () => {
  before = () => truncateSync(path, 1000);
  const read = async (): Promise<number> => {
    let size = 0;
    for await (const chunk of await ask()) size += (chunk as Buffer).length;
    return size;
  };
  const [reading, pouring] = await Promise.allSettled([
    read(),
    new Promise((r) => server.once('request', r)).then(() => poured[0]),
  ]);
  expect(reading).toMatchObject({ status: 'rejected', reason: { code: 'ECONNRESET' } });
  expect(pouring).toMatchObject({ status: 'rejected' });
  await closed();
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageHead } from '../../../activities/agent/image-source.ts';
import type { Image } from '../../../contracts/inventory/supply.ts';
import { codeOf } from '../support.ts';

const BYTES = randomBytes(200_000);
let server: Server;
let folder: string;
let sent = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-heads-'));
  writeFileSync(join(folder, 'long'), BYTES);
  writeFileSync(join(folder, 'short'), BYTES.subarray(0, 10));
  server = createServer((request, response) => {
    if (request.url === '/gone') return void response.writeHead(404).end();
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': 1024 }).write('x');
      return void setImmediate(() => request.socket.destroy());
    }
    if (request.url === '/slow') {
      const drip = setInterval(() => response.write('x'), 20);
      return void response.once('close', () => clearInterval(drip));
    }
    if (request.url === '/ranges') {
      expect(request.headers.range).toBe('bytes=0-1023');
      return void response.writeHead(206).end(BYTES.subarray(0, 1024));
    }
    // A server that knows no ranges, and has no end.
    response.writeHead(200);
    const more = (): void => {
      sent += BYTES.length;
      if (!response.destroyed && response.write(BYTES)) setImmediate(more);
      else response.once('drain', more);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const image = (url: string): Image => ({ name: 'i', url, checksum: 'sha256:0', format: 'raw' });
const at = (path: string): Image =>
  image(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);

it.each([
  ['of a file', () => image(join(folder, 'long')), 1024],
  ['of a short file', () => image(join(folder, 'short')), 10],
  ['from a server with ranges', () => at('ranges'), 1024],
  ['from a server without, of which no more is read', () => at('endless'), 1024],
])('the first bytes %s', async (_what, which, length) => {
  expect(Buffer.from(await imageHead(which())).equals(BYTES.subarray(0, length))).toBe(true);
  expect(sent).toBeLessThan(50_000_000);
});

it.each(['gone', 'cut'])('a source that has none: %s', async (path) => {
  expect(await codeOf(imageHead(at(path)))).toBe('IMAGE_SOURCE_UNREACHABLE');
});

it('a source that sends byte by byte is given up', async () => {
  expect(await codeOf(imageHead(at('slow'), undefined, 400))).toBe('IMAGE_SOURCE_UNREACHABLE');
});

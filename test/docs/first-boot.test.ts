import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readGuestReport } from '../../core/agent/guest-report.ts';
import { parseFirstBoot } from '../../core/gateway-messages.ts';

const TOKEN = 'a-token-that-no-log-may-hold';
/** Not an answer of HTTP at all. */
const BROKEN = 0;

let folder: string;
let server: Server;
let statuses: number[];
const bodies: unknown[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rackwright-first-boot-'));
  bodies.length = 0;
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      const status = statuses.shift() ?? 204;
      if (status === BROKEN) return void req.socket.end('no status line\r\n\r\n');
      res.writeHead(status, { connection: 'close' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

/** As the C library reads them here. */
const resolvers = (): string[] => {
  const files = ['/run/systemd/resolve/resolv.conf', '/etc/resolv.conf'].filter((file) => existsSync(file));
  return readFileSync(files[0]!, 'utf8')
    .split('\n')
    .flatMap((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? []);
};

/** Runs the example as the guest's service does, with metadata from a file. */
async function run(meta: object): Promise<{ code: number; said: string }> {
  const file = join(folder, 'meta_data.json');
  await writeFile(file, JSON.stringify({ meta }));
  const args = ['examples/first-boot/report.py', '--metadata', file];
  return new Promise((resolve, reject) => {
    execFile('python3', args, (error, stdout, stderr) => {
      if (error?.signal) return reject(error);
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr });
    });
  });
}

const callback = (): { rackwright_callback: string } => ({
  rackwright_callback: `http://127.0.0.1:${(server.address() as AddressInfo).port}/firstboot/${TOKEN}`,
});

it('the example of a first boot tells of this machine what the hand-over compares, until it is taken', async () => {
  statuses = [503, 204];
  expect(await run(callback())).toEqual({ code: 0, said: 'not taken yet: 503\n' });
  expect(bodies).toHaveLength(2);
  const parsed = parseFirstBoot(bodies[1]);
  expect(parsed.ok).toBe(true);
  const guest = readGuestReport(bodies[1]);
  expect(guest.hostname).toBe(hostname());
  expect(guest.mounts).toContain('/');
  expect(Math.abs(guest.time! - Date.now())).toBeLessThan(60_000);
  expect(guest.dns).toEqual(resolvers());
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const { address } of guest.addresses) {
    expect(own.map((each) => each.address)).toContain(address);
  }
  expect(bodies[1]).toMatchObject({
    disks: expect.any(Array),
    gpus: expect.any(Array),
    links: expect.any(Array),
  });
});

it('it asks again where something answers that speaks no HTTP', async () => {
  statuses = [BROKEN, 204];
  expect(await run(callback())).toEqual({ code: 0, said: 'not taken yet: BadStatusLine\n' });
  expect(bodies).toHaveLength(2);
});

it.each([403, 410])(
  'it gives up where the gateway answers %s, and keeps the token to itself',
  async (status) => {
    statuses = [status];
    const { code, said } = await run(callback());
    expect([code, bodies.length]).toEqual([1, 1]);
    expect(said).toContain(String(status));
    expect(said).not.toContain(TOKEN);
  },
);

it('it says what is missing where nobody waits for the machine', async () => {
  expect(await run({})).toEqual({ code: 1, said: expect.stringContaining('rackwright_callback') });
});

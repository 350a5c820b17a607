import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blankArea, MEDIA_LABEL, PARAMETERS_PATH } from '../core/agent/parameters.ts';
import { iso9660 } from '../core/iso9660.ts';

/**
 * Twenty BMCs read the media of a boot at once from the publisher, which patches it on the way, and twenty from a
 * plain static server beside it: whatever else runs here troubles both. Each server is a process of its own; what
 * both have sent when the first of them is done, what they use and what they hold is compared.
 */
const READERS = 20;
const ROUNDS = 5;
const MIB = 1024 * 1024;
const ISO_BYTES = 128 * MIB;

/** What a server has done for its readers in a round. */
interface Share {
  readonly mibPerSecond: number;
  readonly cpuSecondsPerGib: number;
  readonly peakMib: number;
}

class Server {
  readonly #child: ChildProcess;
  #url = '';

  constructor(kind: 'publisher' | 'static', iso: string) {
    this.#child = fork(join(import.meta.dirname, 'publisher-process.mjs'), [kind, iso]);
  }

  async ready(): Promise<this> {
    this.#url = (await this.#heard<{ url: string }>()).url;
    return this;
  }

  get url(): string {
    return this.#url;
  }

  /** What it used since this was asked last, and the most that it held. */
  used(): Promise<{ peak: number; cpuSeconds: number }> {
    this.#child.send('used');
    return this.#heard();
  }

  stop(): void {
    this.#child.disconnect();
  }

  #heard<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`the server ended with ${code}`));
      this.#child.once('exit', ended);
      this.#child.once('message', (message) => {
        this.#child.off('exit', ended);
        resolve(message as T);
      });
    });
  }
}

/** Reads a whole answer into one buffer over and over, as cheaply as can be, and tells each piece of its body. */
function readAll(url: string, told: (bytes: number) => void): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    let head = '';
    let left = Number.POSITIVE_INFINITY;
    const buffer = Buffer.allocUnsafe(256 * 1024);
    const callback = (bytes: number): boolean => {
      let body = bytes;
      if (head !== '\r\n\r\n') {
        head += buffer.toString('latin1', 0, bytes);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return true;
        left = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
        if (!head.startsWith('HTTP/1.1 200') || !(left > 0)) reject(new Error(head));
        body = head.length - end - 4;
        head = '\r\n\r\n';
      }
      left -= body;
      told(body);
      if (left <= 0) socket.end();
      return true;
    };
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } });
    socket.once('error', reject);
    socket.once('close', () => (left === 0 ? resolve() : reject(new Error(`${left} bytes are missing`))));
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: bench\r\n\r\n`);
  });
}

/** Lets this many read from each server at once. */
async function round(servers: readonly Server[], readers: number): Promise<Share[]> {
  for (const server of servers) await server.used();
  const sent = servers.map(() => 0);
  let shares: number[] | undefined;
  const began = performance.now();
  let seconds = 0;
  const done = (): void => {
    if (shares !== undefined) return;
    shares = [...sent];
    seconds = (performance.now() - began) / 1000;
  };
  await Promise.all(
    servers.map(async ({ url }, at) => {
      const read = (): Promise<void> => readAll(url, (bytes) => void (sent[at]! += bytes));
      await Promise.all(Array.from({ length: readers }, read));
      done();
    }),
  );
  const used = await Promise.all(servers.map((server) => server.used()));
  return used.map(({ peak, cpuSeconds }, at) => ({
    mibPerSecond: shares![at]! / MIB / seconds,
    cpuSecondsPerGib: (cpuSeconds / sent[at]!) * 1024 * MIB,
    peakMib: peak / MIB,
  }));
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

let folder: string;
let publisher: Server;
let plain: Server;

beforeAll(async () => {
  execFileSync(process.execPath, [join(import.meta.dirname, '..', 'scripts', 'build.mjs')]);
  folder = mkdtempSync(join(tmpdir(), 'rackwright-bench-'));
  const iso = join(folder, 'base.iso');
  const files = [
    { path: PARAMETERS_PATH, bytes: blankArea() },
    { path: 'ramdisk', bytes: randomFillSync(new Uint8Array(ISO_BYTES)) },
  ];
  writeFileSync(iso, iso9660({ label: MEDIA_LABEL, files }));
  [publisher, plain] = await Promise.all([
    new Server('publisher', iso).ready(),
    new Server('static', iso).ready(),
  ]);
});
afterAll(() => {
  publisher?.stop();
  plain?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('sends at least 0.8 of what a plain static server does, and holds no more for twenty readers than for two', async () => {
  const [few] = await round([publisher, plain], 2);
  const own = process.cpuUsage();
  const rounds: (readonly [publisher: Share, plain: Share])[] = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const [ours, theirs] = await round([publisher, plain], READERS);
    rounds.push([ours!, theirs!]);
  }
  const { user, system } = process.cpuUsage(own);
  const ratios = (what: keyof Share): number[] => rounds.map(([ours, theirs]) => ours[what] / theirs[what]);
  const sent = ratios('mibPerSecond');
  const peak = Math.max(...rounds.map(([ours]) => ours.peakMib));
  const line = (name: string, at: 0 | 1): string =>
    `${name.padEnd(16)} ${median(rounds.map((each) => each[at].mibPerSecond)).toFixed(0)} MiB/s, ` +
    `${median(rounds.map((each) => each[at].cpuSecondsPerGib)).toFixed(2)} CPU s for a GiB, ` +
    `RSS at most ${Math.max(...rounds.map((each) => each[at].peakMib)).toFixed(0)} MiB`;
  const gib = (2 * READERS * ROUNDS * ISO_BYTES) / MIB / 1024;
  console.log(
    [
      '',
      `${READERS} readers each of an ISO of ${ISO_BYTES / MIB} MiB, at the same time; medians of ${ROUNDS} rounds`,
      line('publisher', 0),
      line('plain static', 1),
      `the readers      ${((user + system) / 1e6 / gib).toFixed(2)} CPU s for a GiB`,
      `publisher with 2 readers: RSS ${few!.peakMib.toFixed(0)} MiB`,
      `throughput, publisher to plain: ${median(sent).toFixed(2)} (${sent.map((each) => each.toFixed(2)).join(' ')})`,
      '',
    ].join('\n'),
  );
  expect(median(sent)).toBeGreaterThanOrEqual(0.8);
  // Twenty times a few pieces on their way, and far from one ISO.
  expect(peak - few!.peakMib).toBeLessThan(64);
});

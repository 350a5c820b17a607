import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestCheck, imageDigests } from '../../../../activities/gates/images/image-digests.ts';
import type { ImageVersion } from '../../../../core/images.ts';
import { aContext, aSource, contractOf, digest, type Source } from './support.ts';

const BYTES = Buffer.alloc(300_000, 'an image');
const CHANGED = Buffer.from(BYTES);
CHANGED[200_000]! ^= 1;
const SHORT = Buffer.alloc(70_000, 'a shorter image');

let folder: string;
let source: Source;
let answer: RequestListener;
/** What was asked for, in order, the questions for a size left out. */
let asked: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-digests-'));
  asked = [];
  source = await aSource((request, response) => {
    if (request.method === 'GET') asked.push(request.url!);
    answer(request, response);
  });
});
afterEach(async () => {
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

const image = (name: string, over: object = {}) => ({
  name,
  url: `${source.url}/${name}`,
  checksum: digest(BYTES),
  format: 'raw',
  ...over,
});
const served = (bytes: Buffer) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
const always =
  (bytes: Buffer): RequestListener =>
  (_request, response) =>
    void served(bytes)(response);

const quick = digestCheck({ againMs: 1 });
const run = async (images: object[], over: Parameters<typeof aContext>[1] = {}, check = quick) => {
  const context = await aContext(contractOf({ images }), over);
  return { ...(await check.run(context)), context };
};

describe('bytes of images', () => {
  it('that are as recorded pass, over http and in files, the smallest first', async () => {
    const file = join(folder, 'c.raw');
    writeFileSync(file, SHORT);
    answer = (request, response) => void served(request.url === '/a' ? BYTES : SHORT)(response);
    const { context, ...result } = await run([
      image('a'),
      image('b', { checksum: digest(SHORT) }),
      image('c', { url: file, checksum: digest(SHORT), size: SHORT.length }),
      image('d', { url: `file://${file}`, checksum: digest(SHORT) }),
    ]);
    expect(result).toMatchObject({
      outcome: 'pass',
      targets: 4,
      summary: '4: every byte is as it was recorded',
    });
    expect(asked).toEqual(['/b', '/a']);
    expect(Object.keys(context.kept)).toEqual(['b', 'c', 'd', 'a']);
    expect(context.kept['a']).toEqual({
      asked: `every byte of ${source.url}/a`,
      answer: {
        recorded: { checksum: digest(BYTES), size: null, version: null },
        contract: digest(BYTES),
        read: { checksum: digest(BYTES), size: 300_000 },
      },
    });
    expect(context.told.at(-1)).toEqual({ image: 'a', read: 300_000, of: null });
  });

  it('of which one is another fail, with both digests, and the other image is read all the same', async () => {
    answer = (request, response) => void served(request.url === '/a' ? CHANGED : BYTES)(response);
    const { outcome, findings, summary } = await run([image('a'), image('b')]);
    expect([outcome, summary]).toEqual(['fail', '1 failed, 1 passed']);
    expect(findings).toEqual([
      {
        target: 'a',
        failure: expect.objectContaining({ code: 'CHECK_FAILED', faultDomain: 'image-supply' }) as unknown,
      },
    ]);
    expect(findings[0]!.failure.message).toContain(digest(CHANGED));
    expect(findings[0]!.failure.message).toContain(digest(BYTES));
    expect(asked).toEqual(['/a', '/b']);
  });

  it('in a file that was changed, or is shorter, fail', async () => {
    const file = join(folder, 'a.raw');
    writeFileSync(file, CHANGED);
    expect(await run([image('a', { url: file })])).toMatchObject({ outcome: 'fail' });
    writeFileSync(file, BYTES);
    expect(await run([image('a', { url: file })])).toMatchObject({ outcome: 'pass' });
    truncateSync(file, 299_999);
    expect(await run([image('a', { url: file })])).toMatchObject({ outcome: 'fail' });
  });

  it('without an end fail where it is known how many there are, and are not read for ever', async () => {
    let sent = 0;
    answer = (request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(200).end();
      const more = (): void => {
        for (let i = 0; i < 64 && !response.destroyed; i++) {
          sent += BYTES.length;
          if (!response.write(BYTES)) return void response.once('drain', more);
        }
        if (!response.destroyed) setImmediate(more);
      };
      more();
    };
    const { outcome, findings } = await run([image('a', { size: BYTES.length })]);
    expect(outcome).toBe('fail');
    expect(findings[0]!.failure.message).toMatch(/more bytes .* than the 300000 that are in the contract/);
    expect(sent).toBeLessThan(50_000_000);
  });

  it.each<[number, string]>([
    [404, 'fail'],
    [410, 'fail'],
    [401, 'error'],
    [403, 'error'],
    [500, 'error'],
    [503, 'error'],
  ])('behind an answer of %i: %s', async (status, outcome) => {
    answer = (_request, response) => void response.writeHead(status).end();
    expect(await run([image('a')])).toMatchObject({
      outcome,
      findings: [
        {
          target: 'a',
          failure: { faultDomain: 'image-supply', message: expect.stringContaining(`${status}`) as unknown },
        },
      ],
    });
  });

  it.each<[string, RequestListener]>([
    [
      'breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': BYTES.length });
        response.write(BYTES.subarray(0, 1000), () => response.destroy());
      },
    ],
    ['does not answer', (request) => request.socket.destroy()],
  ])('of a server that %s are an error', async (_what, listener) => {
    answer = listener;
    expect(await run([image('a')])).toMatchObject({
      outcome: 'error',
      findings: [{ failure: { code: 'IMAGE_SOURCE_UNREACHABLE' } }],
    });
  });

  it('of a server that is down are an error', async () => {
    const down = await aSource(() => undefined);
    await down.close();
    expect(await run([image('a', { url: `${down.url}/a` })])).toMatchObject({
      outcome: 'error',
      findings: [{ failure: { message: expect.stringContaining('ECONNREFUSED') as unknown } }],
    });
  });

  it('of a server that stops sending are an error when their time is over', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': BYTES.length });
      if (request.method === 'HEAD') response.end();
      else response.write(BYTES.subarray(0, 1000));
    };
    const { outcome, findings } = await run(
      [image('a', { size: BYTES.length })],
      {},
      digestCheck({ graceMs: 300, againMs: 1 }),
    );
    expect(outcome).toBe('error');
    expect(findings[0]!.failure.message).toMatch(
      /did not come to its end in 1 seconds: \d+ bytes of it came/,
    );
  });

  it('that are not there as a file fail; that a disk does not give are an error', async () => {
    expect(await run([image('a', { url: join(folder, 'none.raw') })])).toMatchObject({ outcome: 'fail' });
    expect(await run([image('a', { url: folder })])).toMatchObject({ outcome: 'fail' });
    // Its first byte is never mapped: a file whose reading fails.
    expect(await run([image('a', { url: '/proc/self/mem' })])).toMatchObject({
      outcome: 'error',
      findings: [{ failure: { message: expect.stringContaining('EIO') as unknown } }],
    });
  });

  it('are read no further once the run was stopped', async () => {
    const stop = new AbortController();
    let closed: () => void;
    const end = new Promise<void>((resolve) => (closed = resolve));
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': BYTES.length });
      if (request.method === 'HEAD') return void response.end();
      response.once('close', () => closed());
      response.write(BYTES.subarray(0, 1000), () => stop.abort());
    };
    await expect(run([image('a')], { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await end;
    expect(asked).toEqual(['/a']);
    // A minute without a byte would end it as well.
  }, 30_000);
});

const version = (over: Partial<ImageVersion> = {}): ImageVersion => ({
  version: 2,
  source: `${source.url}/a`,
  kept: false,
  checksum: digest(BYTES),
  size: BYTES.length,
  format: 'raw',
  at: '2026-01-01T00:00:00Z',
  by: 'ada',
  reason: null,
  ...over,
});

describe('a promoted image', () => {
  it('is read where deployments read it, and not at the URL of the contract', async () => {
    answer = always(BYTES);
    const copy = join(folder, 'copy');
    writeFileSync(copy, BYTES);
    const promoted = async () => ({ version: version({ kept: true }), url: copy });
    const { outcome, context } = await run([image('a')], { promoted });
    expect([outcome, asked]).toEqual(['pass', []]);
    expect(context.kept['a']).toMatchObject({ answer: { recorded: { version: 2 } } });
    writeFileSync(copy, CHANGED);
    const { findings } = await run([image('a')], { promoted });
    expect(findings[0]!.failure.message).toContain('recorded as version 2');
    expect(findings[0]!.failure.correction).toContain('`rackwright image promote a`');
  });

  it('that is not what the contract says fails, though its bytes are as recorded', async () => {
    answer = always(BYTES);
    const promoted = async () => ({ version: version(), url: `${source.url}/a` });
    const { outcome, findings } = await run([image('a', { checksum: digest(SHORT) })], { promoted });
    expect(outcome).toBe('fail');
    expect(findings.map(({ failure }) => failure.message)).toEqual([
      `The contract has ${digest(SHORT)} for image a; deployments take version 2, ${digest(BYTES)}.`,
    ]);
  });
});

it('a contract without images has nothing to read', () => {
  expect(imageDigests.skip!(contractOf({}))).toBe('the contract has no images');
  expect(imageDigests.skip!(contractOf({ images: [image('a')] }))).toBeUndefined();
});

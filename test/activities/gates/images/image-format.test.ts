import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatCheck, imageFormat } from '../../../../activities/gates/images/image-format.ts';
import { disk, qcow2Header } from './disks.ts';
import { aContext, aSource, contractOf, digest, type Source } from './support.ts';

const UEFI = disk('esp', 'rootX86');
const { PATH } = process.env;

let folder: string;
let source: Source;
let answer: RequestListener;
let sent = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-formats-'));
  sent = 0;
  source = await aSource((request, response) => answer(request, response));
});
afterEach(async () => {
  process.env['PATH'] = PATH;
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A server with ranges. */
const serving =
  (bytes: Buffer): RequestListener =>
  (request, response) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const part = range ? bytes.subarray(Number(range[1]), Number(range[2]) + 1) : bytes;
    response.writeHead(range ? 206 : 200, { 'content-length': part.length });
    if (request.method === 'HEAD') return void response.end();
    sent += part.length;
    response.end(part);
  };
const file = (bytes: Uint8Array): string => {
  const path = join(folder, 'a');
  writeFileSync(path, bytes);
  return path;
};
const image = (over: object = {}) => ({
  name: 'a',
  url: `${source.url}/a`,
  checksum: digest(UEFI),
  format: 'raw',
  architecture: 'x86_64',
  bootMode: 'uefi',
  ...over,
});
const run = async (images: object[]) => {
  const context = await aContext(contractOf({ images }));
  return { ...(await formatCheck({ againMs: 1 }).run(context)), context };
};

describe('an image', () => {
  it('that is what the contract says passes, by its beginning alone, and the summary says what that does not show', async () => {
    answer = serving(UEFI);
    const { context, ...result } = await run([image()]);
    expect(result).toMatchObject({ outcome: 'pass', targets: 1 });
    expect(result.summary).toBe(
      'raw, 2097152 bytes of disk, GPT of 2 with an EFI system partition for x86_64; not looked into: cloud-init, which the first boot of gate 7 shows',
    );
    expect(sent).toBe(32 * 1024);
    expect(context.kept['a']).toMatchObject({
      answer: { contract: { format: 'raw', architecture: 'x86_64', bootMode: 'uefi' }, disk: 2_097_152 },
    });
  });

  it('of which the contract claims nothing passes with any table', async () => {
    answer = serving(disk('rootArm'));
    expect(await run([image({ architecture: undefined, bootMode: undefined })])).toMatchObject({
      outcome: 'pass',
      summary: expect.stringContaining('without an EFI system partition for aarch64') as unknown,
    });
  });

  it.each<[string, () => object, RegExp]>([
    ['is compressed', () => ({ url: file(Buffer.from([0x1f, 0x8b, 8, 0])) }), /is gzip/],
    [
      'is qcow2, called raw',
      () => ({ url: file(qcow2Header(1 << 30)) }),
      /is qcow2, and the contract calls it raw/,
    ],
    ['is raw, called qcow2', () => ({ url: file(UEFI), format: 'qcow2' }), /is not qcow2/],
    ['is a file system', () => ({ url: file(Buffer.alloc(4096)) }), /no partition table/],
    ['is for another architecture', () => ({ url: file(disk('esp', 'rootArm')) }), /partitions of aarch64/],
    ['has no EFI system partition', () => ({ url: file(disk('rootX86')) }), /no EFI system partition/],
    ['has no boot code', () => ({ url: file(UEFI), bootMode: 'bios' }), /no boot code/],
    ['was cut', () => ({ url: file(UEFI.subarray(0, 700_000)) }), /is cut short/],
    ['is not there', () => ({ url: join(folder, 'none') }), /is no file here/],
  ])('that %s fails', async (_what, over, expected) => {
    const { outcome, findings } = await run([image(over())]);
    expect(outcome).toBe('fail');
    expect(findings[0]!.failure).toMatchObject({ faultDomain: 'image-supply', code: 'CHECK_FAILED' });
    expect(findings[0]!.failure.message).toMatch(expected);
    expect(findings[0]!.failure.correction).toMatch(/image a/);
  });

  it.each<[number, string]>([
    [404, 'fail'],
    [403, 'error'],
    [503, 'error'],
  ])('behind an answer of %i: %s', async (status, outcome) => {
    answer = (_request, response) => void response.writeHead(status).end();
    expect(await run([image()])).toMatchObject({ outcome });
  });

  it('whose table lies elsewhere is not judged by it', async () => {
    const bytes = disk('rootArm');
    bytes.writeBigUInt64LE(1000n, 512 + 72);
    answer = serving(bytes);
    expect(await run([image()])).toMatchObject({
      outcome: 'pass',
      summary: expect.stringContaining('not looked into: the partition table of a') as unknown,
    });
  });

  it('of qcow2 is not looked into where this host has no qemu-img, or it lies behind http', async () => {
    const bytes = qcow2Header(1 << 30);
    answer = serving(bytes);
    const behind = await run([image({ format: 'qcow2' })]);
    expect(behind.outcome).toBe('pass');
    expect(behind.summary).toMatch(
      /^qcow2, 1073741824 bytes of disk; not looked into: .*behind http; cloud-init/,
    );
    process.env['PATH'] = folder;
    const without = await run([image({ format: 'qcow2', url: file(bytes) })]);
    expect([without.outcome, without.summary]).toEqual([
      'pass',
      expect.stringMatching(
        /not looked into: what is inside of qcow2 images, for this host has no qemu-img;/,
      ),
    ]);
  });
});

it('a contract without images has nothing to look at', () => {
  expect(imageFormat.skip!(contractOf({}))).toBe('the contract has no images');
});

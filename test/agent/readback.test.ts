import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Reading back, which needs nothing but Python; the rest of the hardware manager: test/e2e/hardware-manager.test.ts. */
const run = promisify(execFile);
const MIB = 1024 * 1024;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rackwright-readback-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function python(...lines: string[]): Promise<unknown> {
  const program = ['import json, sys', 'from rackwright_hardware_manager import readback', ...lines].join(
    '\n',
  );
  const env = { ...process.env, PYTHONPATH: 'agent', PYTHONDONTWRITEBYTECODE: '1' };
  return JSON.parse((await run('python3', ['-c', program], { env, maxBuffer: 16 * MIB })).stdout);
}

const file = async (name: string, bytes: Uint8Array): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
};
const quoted = (text: string): string => JSON.stringify(text);

/** What is found at every place of a file that was sampled when it had the first bytes, and has the others now. */
async function found(before: Uint8Array, after: Uint8Array, rule: string): Promise<object> {
  const path = await file('disk', before);
  const then = await file('then', after);
  return (await python(
    `path = ${quoted(path)}`,
    'before = readback.sample(path, readback.choose_places(len(open(path, "rb").read())))',
    `open(path, "wb").write(open(${quoted(then)}, "rb").read())`,
    'readback.flush(path)',
    `print(json.dumps(readback.read_back(path, before, ${quoted(rule)})))`,
  )) as object;
}

it('reads the first and the last MiB and a thousand places between, other ones each time', async () => {
  const size = 1024 * MIB;
  const [one, two] = (await python(
    `print(json.dumps([readback.choose_places(${size}), readback.choose_places(${size})]))`,
  )) as [number[], number[]];
  expect([one.length, new Set(one).size]).toEqual([1512, 1512]);
  expect(one.slice(0, 256)).toEqual(Array.from({ length: 256 }, (_, i) => i * 4096));
  expect(one.slice(-256)).toEqual(Array.from({ length: 256 }, (_, i) => size - MIB + i * 4096));
  expect(one.every((at) => at % 4096 === 0)).toBe(true);
  expect(one).not.toEqual(two);
});

it('reads all of a small one, and the end of one that is no multiple of 4 KiB', async () => {
  const bytes = new Uint8Array(3 * 4096 + 512);
  expect(await found(bytes, bytes, 'zero')).toMatchObject({
    sampledBlocks: 4,
    leftBlocks: 0,
    verified: true,
  });
  bytes[3 * 4096 + 511] = 1;
  expect(await found(bytes, bytes, 'zero')).toMatchObject({
    leftBlocks: 1,
    leftAt: [12288],
    verified: false,
  });
});

const KIB16 = 16_384;
const data = randomBytes(KIB16);
const [zeros, ones, noise] = [Buffer.alloc(KIB16), Buffer.alloc(KIB16, 255), randomBytes(KIB16)];
const half = Buffer.concat([zeros.subarray(0, 8192), data.subarray(8192)]);

const NOW = { zeros, ones, noise, 'the data': data, 'half of the data': half };

it.each<[keyof typeof NOW, string, number]>([
  ['zeros', 'zero', 0],
  ['ones', 'zero', 4],
  ['noise', 'zero', 4],
  ['the data', 'zero', 4],
  ['half of the data', 'zero', 2],
  ['zeros', 'empty', 0],
  ['ones', 'empty', 0],
  ['noise', 'empty', 4],
  ['zeros', 'changed', 0],
  ['ones', 'changed', 0],
  ['noise', 'changed', 0],
  ['the data', 'changed', 4],
  ['half of the data', 'changed', 2],
])('%s, by the rule %s: %i places are not erased', async (now, rule, left) => {
  const nonZeroBlocks = { zeros: 0, ones: 4, noise: 4, 'the data': 4, 'half of the data': 2 }[now];
  expect(await found(data, NOW[now], rule)).toMatchObject({
    sampledBlocks: 4,
    nonZeroBlocks,
    leftBlocks: left,
    unreadableBlocks: 0,
    verified: left === 0,
  });
});

it('what was there cannot be told from what is there where it could not be read before', async () => {
  const path = await file('locked', noise);
  const lines = [`print(json.dumps(readback.read_back(${quoted(path)}, {0: None}, "changed")))`];
  expect(await python(...lines)).toMatchObject({ leftBlocks: 1, verified: false });
});

it('a place that cannot be read is not erased, such as one behind the end of a disk that is smaller now', async () => {
  const path = await file('shorter', zeros);
  const handle = await open(path, 'r+');
  await handle.truncate(4096);
  await handle.close();
  const lines = [`print(json.dumps(readback.read_back(${quoted(path)}, {0: b"", 8192: b""}, "zero")))`];
  expect(await python(...lines)).toMatchObject({ leftBlocks: 0, unreadableBlocks: 1, verified: false });
  expect(await python(`print(json.dumps(readback.read_back(${quoted(path)}, {}, "zero")))`)).toMatchObject({
    sampledBlocks: 0,
    verified: false,
  });
});

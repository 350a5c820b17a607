import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { configDrive } from '../../../activities/agent/config-drive.ts';
import { formsOf } from './forms.ts';
import { Scanner } from './scanner.ts';

const secret = `p"w\\${randomBytes(12).toString('base64')}ü`;
const canary = { name: 'decoy', bytes: Buffer.from(secret) };
const scanner = new Scanner([canary, { name: 'key', bytes: randomBytes(32) }]);
const found = (bytes: Uint8Array): string[] => scanner.scan('here', bytes).map(({ place }) => place);
const within = (text: string): Buffer => Buffer.from(`{"before":"${text}","after":1}`);

describe('a planted secret is found', () => {
  test.each(formsOf(canary.bytes).map(({ name, bytes }) => [name, bytes] as const))('as %s', (_, bytes) => {
    expect(found(Buffer.concat([randomBytes(100), bytes, randomBytes(100)]))).toContain('here');
  });

  test.each([0, 1, 2])('in a longer base64 text, %s bytes in', (offset) => {
    const text = Buffer.from(`${'x'.repeat(offset)}${secret}yz`);
    expect(found(within(text.toString('base64')))).toContain('here');
    expect(found(within(text.toString('base64url')))).toContain('here');
  });

  test('in gzip, in base64 of gzip, and in base64 of base64', () => {
    const packed = gzipSync(within(encodeURIComponent(secret)));
    expect(found(Buffer.concat([randomBytes(9), packed, randomBytes(9)]))).toContain('here > gzip');
    expect(found(within(packed.toString('base64')))).toContain('here > base64 > gzip');
    const twice = Buffer.from(Buffer.from(secret).toString('base64')).toString('base64');
    expect(found(within(twice))).not.toEqual([]);
  });

  test('in the first half of a gzip stream that was cut off', () => {
    const packed = gzipSync(Buffer.concat([Buffer.from(secret), randomBytes(50_000)]));
    expect(found(packed.subarray(0, 20_000))).toContain('here > gzip');
  });

  test('in a config drive as the deploy agent gets it', () => {
    const drive = configDrive({
      uuid: '1ab00000-0000-4000-8000-000000000001',
      hostname: 'n',
      publicKeys: [],
      callback: 'http://127.0.0.1:1/firstboot/x',
      userData: Buffer.from(`#cloud-config\npassword: ${secret}\n`),
    });
    expect(found(within(drive))).toContain('here > base64 > gzip');
  });
});

test('nothing is found where nothing is', () => {
  expect(found(randomBytes(2_000_000))).toEqual([]);
  expect(found(Buffer.from(`${secret.slice(0, -4)} ${secret.slice(4)}`))).toEqual([]);
});

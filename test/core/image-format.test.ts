import { expect, it } from 'vitest';
import { imageProblem, writtenBytes } from '../../core/image-format.ts';

const raw = (): Buffer => {
  const head = Buffer.alloc(1024);
  head.set([0x55, 0xaa], 510);
  return head;
};
/** The header of a whole image, changed at one place. */
const qcow2 = (change: (head: Buffer) => unknown = () => undefined, version = 3): Buffer => {
  const head = Buffer.alloc(1024);
  head.write('QFI\xfb', 'latin1');
  head.writeUInt32BE(version, 4);
  head.writeBigUInt64BE(1n << 30n, 24);
  change(head);
  return head;
};
const starts = (...bytes: number[]): Buffer => {
  const head = raw();
  head.set(bytes);
  return head;
};

it.each<[string, 'raw' | 'qcow2', Buffer, RegExp | undefined]>([
  ['a disk', 'raw', raw(), undefined],
  ['a file system without a table', 'raw', Buffer.alloc(1024), /no partition table/],
  ['something short', 'raw', Buffer.from('hello'), /no partition table/],
  ['nothing', 'raw', Buffer.alloc(0), /no partition table/],
  ['qcow2', 'raw', qcow2(), /is qcow2/],
  ['gzip', 'raw', starts(0x1f, 0x8b), /is gzip/],
  ['xz', 'raw', starts(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), /is xz/],
  ['zstd', 'raw', starts(0x28, 0xb5, 0x2f, 0xfd), /is zstd/],
  ['a whole image', 'qcow2', qcow2(), undefined],
  ['a whole image of version 2', 'qcow2', qcow2((head) => head.writeUInt32BE(4, 76), 2), undefined],
  ['a disk', 'qcow2', raw(), /is not qcow2/],
  ['one cut short', 'qcow2', qcow2().subarray(0, 64), /cut short/],
  ['one of tomorrow', 'qcow2', qcow2(undefined, 4), /unknown version 4/],
  ['one on another file', 'qcow2', qcow2((head) => head.writeBigUInt64BE(512n, 8)), /backing file/],
  ['one without a disk', 'qcow2', qcow2((head) => head.writeBigUInt64BE(0n, 24)), /disk of 0 bytes/],
  ['one with a key', 'qcow2', qcow2((head) => head.writeUInt32BE(2, 32)), /encrypted/],
  ['one with its data elsewhere', 'qcow2', qcow2((head) => head.writeUInt32BE(4, 76)), /in another file/],
])('%s called %s', (_what, format, head, expected) => {
  const problem = imageProblem(format, head);
  if (expected === undefined) expect(problem).toBeUndefined();
  else expect(problem).toMatch(expected);
});

it.each<[string, 'raw' | 'qcow2', Buffer, number | undefined, number | undefined]>([
  ['as long as its file', 'raw', raw(), 4096, 4096],
  ['unknown where the source does not tell', 'raw', raw(), undefined, undefined],
  ['unknown where there is no header', 'qcow2', qcow2().subarray(0, 10), 4096, undefined],
  ['more than a number holds', 'qcow2', qcow2((head) => head.fill(0xff, 24, 32)), 4096, 2 ** 64],
  ['what its header says', 'qcow2', qcow2((head) => head.writeBigUInt64BE(7n << 32n, 24)), 4096, 7 * 2 ** 32],
])('what an image takes of a disk is %s', (_what, format, head, size, expected) => {
  expect(writtenBytes(format, head, size)).toBe(expected);
});

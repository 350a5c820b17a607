import { describe, expect, it } from 'vitest';
import { architecturesOf, claimProblems, tableWords, type ImageClaims } from '../../core/image-claims.ts';
import { readPartitionTable, TABLE_BYTES, type PartitionTable } from '../../core/partition-table.ts';

/** Types as they stand on a disk: the first three parts of a GUID are little-endian there. */
const ON_DISK = {
  esp: '28732ac11ff8d211ba4b00a0c93ec93b',
  rootX86: 'e3bc684fcde8b14d96e7fbcaf984b709',
  rootArm: '45b021b9f01dc341af444c6f280d3fae',
};
const ESP = 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b';

function mbr(entries: readonly (readonly [type: number, first: number, count: number])[] = []): Buffer {
  const start = Buffer.alloc(TABLE_BYTES);
  for (const [i, [type, first, count]] of entries.entries()) {
    start[446 + 16 * i + 4] = type;
    start.writeUInt32LE(first, 446 + 16 * i + 8);
    start.writeUInt32LE(count, 446 + 16 * i + 12);
  }
  start.set([0x55, 0xaa], 510);
  return start;
}

function gpt(
  entries: readonly (readonly [type: string, first: number, last: number])[],
  sector = 512,
  change: (start: Buffer) => unknown = () => undefined,
): Buffer {
  const start = mbr([[0xee, 1, 0xffff]]);
  start.write('EFI PART', sector);
  start.writeBigUInt64LE(2n, sector + 72);
  start.writeUInt32LE(128, sector + 80);
  start.writeUInt32LE(128, sector + 84);
  for (const [i, [type, first, last]] of entries.entries()) {
    const at = 2 * sector + 128 * i;
    start.write(type, at, 'hex');
    start.writeBigUInt64LE(BigInt(first), at + 32);
    start.writeBigUInt64LE(BigInt(last), at + 40);
  }
  change(start);
  return start;
}

describe('a partition table', () => {
  it('is read from a GPT, with sectors of either size', () => {
    expect(readPartitionTable(gpt([[ON_DISK.esp, 2048, 4095]]))).toEqual({
      kind: 'gpt',
      partitions: [{ type: ESP, first: 1_048_576, end: 2_097_152 }],
      bootCode: false,
    });
    expect(readPartitionTable(gpt([[ON_DISK.esp, 256, 511]], 4096))).toMatchObject({
      kind: 'gpt',
      partitions: [{ type: ESP, first: 1_048_576, end: 2_097_152 }],
    });
  });

  it('is read from an MBR, with its boot code', () => {
    const start = mbr([
      [0xef, 2048, 2048],
      [0x83, 4096, 8],
    ]);
    start.write('GRUB', 0x180);
    expect(readPartitionTable(start)).toEqual({
      kind: 'mbr',
      partitions: [
        { type: '0xef', first: 1_048_576, end: 2_097_152 },
        { type: '0x83', first: 2_097_152, end: 2_101_248 },
      ],
      bootCode: true,
    });
  });

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['zeros', new Uint8Array(TABLE_BYTES)],
    ['what protects a GPT that is not there', mbr([[0xee, 1, 0xffff]])],
    ['a GPT of no entries', gpt([], 512, (start) => start.writeUInt32LE(0, 512 + 80))],
    ['a GPT whose entries are small', gpt([], 512, (start) => start.writeUInt32LE(64, 512 + 84))],
    ['a GPT with a million entries', gpt([], 512, (start) => start.writeUInt32LE(1e6, 512 + 80))],
    ['a GPT that is cut', gpt([[ON_DISK.esp, 2048, 4095]]).subarray(0, 1500)],
  ])('is not seen in %s', (_what, start) => {
    expect(readPartitionTable(start)).toBeUndefined();
  });
});

it('may lie elsewhere', () => {
  const start = gpt([], 512, (bytes) => bytes.writeBigUInt64LE(2n ** 40n, 512 + 72));
  expect(readPartitionTable(start)).toBe('elsewhere');
});

const read = (start: Uint8Array): PartitionTable => readPartitionTable(start) as PartitionTable;
const uefi = gpt([
  [ON_DISK.esp, 2048, 4095],
  [ON_DISK.rootX86, 4096, 8191],
]);
const MIB_4 = 4 * 1024 * 1024;

it.each<[string, Uint8Array, ImageClaims, number | undefined, RegExp | undefined]>([
  ['nothing claimed', uefi, {}, MIB_4, undefined],
  ['all of it so', uefi, { architecture: 'x86_64', bootMode: 'uefi' }, MIB_4, undefined],
  ['nobody knows how long', uefi, { bootMode: 'uefi' }, undefined, undefined],
  ['another architecture', uefi, { architecture: 'aarch64' }, MIB_4, /partitions of x86_64, .* says aarch64/],
  [
    'the other architecture',
    gpt([[ON_DISK.rootArm, 2048, 4095]]),
    { architecture: 'x86_64' },
    MIB_4,
    /partitions of aarch64, .* says x86_64/,
  ],
  [
    'an architecture that nothing tells',
    gpt([[ON_DISK.esp, 2048, 4095]]),
    { architecture: 'aarch64' },
    MIB_4,
    undefined,
  ],
  [
    'no EFI system partition',
    gpt([[ON_DISK.rootX86, 2048, 4095]]),
    { bootMode: 'uefi' },
    MIB_4,
    /no EFI system partition/,
  ],
  ['an EFI system partition of an MBR', mbr([[0xef, 2048, 2048]]), { bootMode: 'uefi' }, MIB_4, undefined],
  ['no boot code', uefi, { bootMode: 'bios' }, MIB_4, /no boot code/],
  [
    'an image cut in the middle',
    uefi,
    {},
    MIB_4 - 512,
    /cut short: .* byte 4194304, and the disk at 4193792/,
  ],
  ['no partition', mbr(), {}, MIB_4, /without a partition/],
])('with %s, a table contradicts', (_what, start, claims, size, expected) => {
  const problems = claimProblems(claims, read(start), size);
  if (expected === undefined) expect(problems).toEqual([]);
  else expect(problems.join('; ')).toMatch(expected);
});

it('tells what was seen', () => {
  expect(tableWords(read(uefi))).toBe('GPT of 2 with an EFI system partition for x86_64');
  expect(tableWords(read(mbr([[0x83, 2048, 8]])))).toBe('MBR of 1 without an EFI system partition');
  expect(architecturesOf(read(mbr([[0x83, 2048, 8]])))).toEqual([]);
});

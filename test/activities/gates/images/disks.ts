/** Types of partitions as they stand on a disk. */
export const TYPES = {
  esp: '28732ac11ff8d211ba4b00a0c93ec93b',
  rootX86: 'e3bc684fcde8b14d96e7fbcaf984b709',
  rootArm: '45b021b9f01dc341af444c6f280d3fae',
} as const;

/** A whole disk of 2 MiB with a GPT of these partitions, one MiB and less each. */
export function disk(...types: (keyof typeof TYPES)[]): Buffer {
  const bytes = Buffer.alloc(2 * 1024 * 1024, types.join());
  bytes.fill(0, 0, 64 * 512);
  bytes[450] = 0xee;
  bytes.writeUInt32LE(1, 454);
  bytes.writeUInt32LE(bytes.length / 512 - 1, 458);
  bytes.set([0x55, 0xaa], 510);
  bytes.write('EFI PART', 512);
  bytes.writeBigUInt64LE(2n, 512 + 72);
  bytes.writeUInt32LE(128, 512 + 80);
  bytes.writeUInt32LE(128, 512 + 84);
  for (const [i, type] of types.entries()) {
    bytes.write(TYPES[type], 1024 + 128 * i, 'hex');
    bytes.writeBigUInt64LE(BigInt(64 + 1024 * i), 1024 + 128 * i + 32);
    bytes.writeBigUInt64LE(BigInt(64 + 1024 * (i + 1) - 1), 1024 + 128 * i + 40);
  }
  return bytes;
}

/** The header of a qcow2 image that holds a disk of this size, and nothing of it. */
export function qcow2Header(size: number): Buffer {
  const head = Buffer.alloc(200_000);
  head.write('QFI\xfb', 'latin1');
  head.writeUInt32BE(3, 4);
  head.writeBigUInt64BE(BigInt(size), 24);
  return head;
}

import { open } from 'node:fs/promises';

/** Bytes of a sector, as partition tables count. */
export const SECTOR = 512;

export interface Partition {
  readonly name: string;
  readonly type: string;
  readonly firstLba: number;
  readonly lastLba: number;
}

/** Reads a GUID partition table, as the UEFI specification has it (5.3). */
export async function readPartitions(file: string): Promise<Partition[]> {
  const handle = await open(file);
  try {
    const header = Buffer.alloc(SECTOR);
    await handle.read(header, 0, SECTOR, SECTOR);
    if (header.toString('latin1', 0, 8) !== 'EFI PART')
      throw new Error(`${file} has no GUID partition table`);
    const at = Number(header.readBigUInt64LE(72)) * SECTOR;
    const count = header.readUInt32LE(80);
    const size = header.readUInt32LE(84);
    const entries = Buffer.alloc(count * size);
    await handle.read(entries, 0, entries.length, at);
    return Array.from({ length: count }, (_, i) => entries.subarray(i * size, (i + 1) * size)).flatMap(
      (entry) => {
        const type = entry.toString('hex', 0, 16);
        if (/^0+$/.test(type)) return [];
        const name = entry.toString('utf16le', 56, 128).replace(/\0+$/, '');
        const firstLba = Number(entry.readBigUInt64LE(32));
        return [{ name, type, firstLba, lastLba: Number(entry.readBigUInt64LE(40)) }];
      },
    );
  } finally {
    await handle.close();
  }
}

/** The label of the ISO 9660 volume that begins at this sector (ECMA-119, 8.4.7: byte 40 of sector 16). */
export async function volumeLabel(file: string, lba: number): Promise<string> {
  const handle = await open(file);
  try {
    const label = Buffer.alloc(32);
    await handle.read(label, 0, label.length, lba * SECTOR + 16 * 2048 + 40);
    return label.toString('latin1').trim();
  } finally {
    await handle.close();
  }
}

import { randomBytes, randomInt } from 'node:crypto';
import { open } from 'node:fs/promises';
import { SECTOR } from './gpt.ts';

const CHUNK = 4 * 1024 * 1024;
/** Sectors of a GUID partition table at the end of a disk: the header and 128 entries. */
const BACKUP_GPT = 33;

export interface Comparison {
  readonly bytes: number;
  /** Sectors that are not as in the image, at most a hundred of them. */
  readonly differing: readonly number[];
  /** Sectors in which nothing differs but the day on which a boot loader's CSV file was read last, as FAT keeps it. */
  readonly accessed: readonly number[];
}

/** An entry of a folder of FAT: its name, and where it has the day of the last access. */
const FOLDER_ENTRY = 32;
const CSV_NAME = 'BOOTX64 CSV';
const ACCESS_DATE = [18, 19] as const;

/** Whoever reads the file of a mounted FAT changes its folder. */
function differsByAccess(a: Buffer, b: Buffer): boolean {
  const different = Array.from(a.keys()).filter((at) => a[at] !== b[at]);
  return different.every((at) => {
    const entry = at - (at % FOLDER_ENTRY);
    const name = a.toString('latin1', entry, entry + CSV_NAME.length);
    return name === CSV_NAME && ACCESS_DATE.some((date) => at === entry + date);
  });
}

/** Compares a disk with the image that was written to it, every sector of the image but its second partition table. */
export async function compareSectors(image: string, disk: string): Promise<Comparison> {
  const [left, right] = [await open(image), await open(disk)];
  try {
    const bytes = (await left.stat()).size - BACKUP_GPT * SECTOR;
    const differing: number[] = [];
    const accessed: number[] = [];
    const [a, b] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
    for (let at = 0; at < bytes; at += CHUNK) {
      const length = Math.min(CHUNK, bytes - at);
      await left.read(a, 0, length, at);
      await right.read(b, 0, length, at);
      if (a.compare(b, 0, length, 0, length) === 0) continue;
      for (let sector = 0; sector < length; sector += SECTOR) {
        const [of, on] = [a.subarray(sector, sector + SECTOR), b.subarray(sector, sector + SECTOR)];
        if (of.equals(on)) continue;
        const list = differsByAccess(of, on) ? accessed : differing;
        if (list.length < 100) list.push((at + sector) / SECTOR);
      }
    }
    return { bytes, differing, accessed };
  } finally {
    await left.close();
    await right.close();
  }
}

/** A pattern that stands nowhere else, and where it was written. */
export interface Canaries {
  readonly pattern: Buffer;
  readonly offsets: readonly number[];
}

/** Writes a pattern to random places of a disk. */
export async function plantCanaries(disk: string, count: number): Promise<Canaries> {
  const pattern = randomBytes(32);
  const handle = await open(disk, 'r+');
  try {
    const { size } = await handle.stat();
    const places = new Set<number>();
    while (places.size < count) places.add(randomInt(Math.floor(size / pattern.length)) * pattern.length);
    for (const at of places) await handle.write(pattern, 0, pattern.length, at);
    return { pattern, offsets: [...places] };
  } finally {
    await handle.close();
  }
}

/** How many canaries are left: where they were written, and anywhere else on the disk. */
export async function countCanaries(
  disk: string,
  { pattern, offsets }: Canaries,
): Promise<{ there: number; anywhere: number }> {
  const handle = await open(disk);
  try {
    const { size } = await handle.stat();
    const one = Buffer.alloc(pattern.length);
    let there = 0;
    for (const at of offsets) {
      await handle.read(one, 0, one.length, at);
      if (one.equals(pattern)) there += 1;
    }
    let anywhere = 0;
    const chunk = Buffer.alloc(CHUNK + pattern.length - 1);
    for (let at = 0; at < size; at += CHUNK) {
      const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - at), at);
      const read = chunk.subarray(0, bytesRead);
      for (let found = read.indexOf(pattern); found !== -1; found = read.indexOf(pattern, found + 1))
        anywhere += 1;
    }
    return { there, anywhere };
  } finally {
    await handle.close();
  }
}

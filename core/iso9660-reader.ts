import { fail } from './errors/failure.ts';

const SECTOR = 2048;
const FIRST_DESCRIPTOR = 16;
const MAX_RECORDS = 100_000;
const text = new TextDecoder('latin1');

const invalid = (message: string): Error => fail('ISO_INVALID', message);

/** Where a file stands in a volume. */
export interface IsoFile {
  /** As Linux shows it: the Rock Ridge name, else the plain name in lower case without `;1`. */
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

export interface IsoVolume {
  readonly label: string;
  readonly files: readonly IsoFile[];
}

/** Reads part of something long: a file on disk, or an URL by Range requests. */
export type RandomAccess = (offset: number, length: number) => Promise<Uint8Array>;

/** Reads the label and the directory tree of a volume that is in memory. */
export function readIso9660(bytes: Uint8Array): IsoVolume {
  const walk = walkVolume();
  let step = walk.next();
  while (!step.done) {
    const [offset, length] = step.value;
    step = walk.next(bytes.subarray(offset, offset + length));
  }
  return step.value;
}

/** Reads the label and the directory tree of a volume that is somewhere else, asking for what it needs only. */
export async function readIso9660From(read: RandomAccess): Promise<IsoVolume> {
  const walk = walkVolume();
  let step = walk.next();
  while (!step.done) step = walk.next(await read(...step.value));
  return step.value;
}

/** The bytes of one file of a volume in memory; undefined when there is none of that path. */
export function isoFileBytes(bytes: Uint8Array, path: string): Uint8Array | undefined {
  const file = readIso9660(bytes).files.find((f) => f.path === path);
  return file && bytes.subarray(file.offset, file.offset + file.size);
}

/** Asks for `[offset, length]` and is given the bytes, so that one walk serves memory and network. */
function* walkVolume(): Generator<[number, number], IsoVolume, Uint8Array> {
  const descriptor = whole(yield [FIRST_DESCRIPTOR * SECTOR, SECTOR], SECTOR);
  if (descriptor[0] !== 1 || text.decode(descriptor.subarray(1, 6)) !== 'CD001')
    throw invalid('this is not an ISO 9660 volume');
  const label = text.decode(descriptor.subarray(40, 72)).trimEnd();
  const files: IsoFile[] = [];
  const visited = new Set<number>();
  const queue: { prefix: string; sector: number; size: number }[] = [
    { prefix: '', ...extentOf(descriptor.subarray(156, 190)) },
  ];
  let count = 0;
  for (const { prefix, sector, size } of queue) {
    if (visited.has(sector) || size > MAX_RECORDS * 34) throw invalid('the directory tree is damaged');
    visited.add(sector);
    const bytes = whole(yield [sector * SECTOR, size], size);
    for (const entry of recordsOf(bytes)) {
      if (++count > MAX_RECORDS) throw invalid('there are too many files');
      const flags = entry[25]!;
      if ((flags & 0x80) !== 0) throw invalid('a file has more than one extent');
      const path = prefix + nameOf(entry);
      const extent = extentOf(entry);
      if ((flags & 2) !== 0) queue.push({ prefix: `${path}/`, ...extent });
      else files.push({ path, offset: extent.sector * SECTOR, size: extent.size });
    }
  }
  return { label, files };
}

function whole(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length < length) throw invalid('the volume is cut short');
  return bytes;
}

function extentOf(entry: Uint8Array): { sector: number; size: number } {
  const view = new DataView(entry.buffer, entry.byteOffset, entry.byteLength);
  return { sector: view.getUint32(2, true) + entry[1]!, size: view.getUint32(10, true) };
}

function* recordsOf(directory: Uint8Array): Generator<Uint8Array> {
  let at = 0;
  while (at < directory.length) {
    const length = directory[at]!;
    if (length === 0) {
      at = (Math.floor(at / SECTOR) + 1) * SECTOR;
      continue;
    }
    if (length < 34 || at + length > directory.length) throw invalid('a directory record is damaged');
    const entry = directory.subarray(at, at + length);
    const self = entry[32] === 1 && entry[33]! < 2;
    if (!self) yield entry;
    at += length;
  }
}

function nameOf(entry: Uint8Array): string {
  const length = entry[32]!;
  const rock = rockRidgeName(entry.subarray(33 + length + ((length + 1) % 2)));
  if (rock !== undefined) return rock;
  const plain = text.decode(entry.subarray(33, 33 + length)).toLowerCase();
  return plain.replace(/;\d+$/, '').replace(/\.$/, '');
}

function rockRidgeName(area: Uint8Array): string | undefined {
  let name: string | undefined;
  for (let at = 0; at + 4 <= area.length && area[at + 2]! >= 4; at += area[at + 2]!)
    if (text.decode(area.subarray(at, at + 2)) === 'NM')
      name = (name ?? '') + new TextDecoder().decode(area.subarray(at + 5, at + area[at + 2]!));
  return name;
}

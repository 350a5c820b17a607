import { readFile } from 'node:fs/promises';

/** A boot option of UEFI firmware. */
export interface BootEntry {
  /** `Boot0003` */
  readonly id: string;
  readonly label: string;
  /** The loader on a disk, where it names one. */
  readonly loader: string | null;
}

export interface BootEntries {
  readonly entries: readonly BootEntry[];
  /** Ids, in the order in which they are tried. */
  readonly order: readonly string[];
}

/** Where the header of a firmware volume says how long it is. */
const VOLUME_LENGTH_AT = 48;
const STORE_HEADER = 28;
const VARIABLE_HEADER = 60;
const VARIABLE = 0x55aa;
/** The state of a variable that was written whole, and not deleted since. */
const VALID = 0x3f;

/** The boot entries that firmware keeps in its flash, read from the file that stands for it: what EDK II writes. */
export async function readBootEntries(file: string): Promise<BootEntries> {
  const variables = readVariables(await readFile(file));
  const order = variables.get('BootOrder') ?? Buffer.alloc(0);
  return {
    entries: [...variables]
      .filter(([name]) => /^Boot[0-9A-F]{4}$/.test(name))
      .map(([id, data]) => ({ id, ...readOption(data) }))
      .toSorted((a, b) => a.id.localeCompare(b.id)),
    order: Array.from({ length: order.length / 2 }, (_, i) => idOf(order.readUInt16LE(i * 2))),
  };
}

const idOf = (number: number): string => `Boot${number.toString(16).toUpperCase().padStart(4, '0')}`;

/** The variables of the authenticated store, by name. */
function readVariables(flash: Buffer): Map<string, Buffer> {
  const store = flash.readUInt16LE(VOLUME_LENGTH_AT);
  const end = store + flash.readUInt32LE(store + 16);
  const found = new Map<string, Buffer>();
  for (let at = store + STORE_HEADER; at + VARIABLE_HEADER <= end;) {
    if (flash.readUInt16LE(at) !== VARIABLE) break;
    const [nameSize, dataSize] = [flash.readUInt32LE(at + 36), flash.readUInt32LE(at + 40)];
    const name = at + VARIABLE_HEADER;
    const data = name + nameSize;
    if (flash[at + 2] === VALID) {
      found.set(text(flash.subarray(name, data)), flash.subarray(data, data + dataSize));
    }
    at = (data + dataSize + 3) & ~3;
  }
  return found;
}

/** UTF-16 up to its end. */
const text = (bytes: Buffer): string => bytes.toString('utf16le').replace(/\0.*$/s, '');

/** Attributes, length of the paths, label, and a path whose last node may name a file. */
function readOption(data: Buffer): { label: string; loader: string | null } {
  const label = text(data.subarray(6));
  let at = 6 + (label.length + 1) * 2;
  let loader: string | null = null;
  while (at + 4 <= data.length && data[at] !== 0x7f) {
    const length = data.readUInt16LE(at + 2);
    if (data[at] === 4 && data[at + 1] === 4) loader = text(data.subarray(at + 4, at + length));
    if (length < 4) break;
    at += length;
  }
  return { label, loader };
}

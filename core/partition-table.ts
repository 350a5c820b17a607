/** As much of a disk as its partition table takes: with sectors of 4096 bytes, 128 entries end here. */
export const TABLE_BYTES = 32 * 1024;

/** One partition; bytes from the beginning of the disk. */
export interface Partition {
  /** Of a GPT, the GUID in its canonical form; of an MBR, `0x` and two digits. */
  readonly type: string;
  readonly first: number;
  /** The first byte after it. */
  readonly end: number;
}

/** A partition table as it stands at the beginning of a whole disk. */
export interface PartitionTable {
  readonly kind: 'gpt' | 'mbr';
  readonly partitions: readonly Partition[];
  /** Whether there is anything that a BIOS would run. */
  readonly bootCode: boolean;
}

const BOOT_CODE = 440;
const MBR_ENTRIES = 446;
const PROTECTIVE = 0xee;
const SECTORS = [512, 4096] as const;
/** More than any tool makes. */
const MAX_ENTRIES = 1024;

/**
 * Reads the partition table from the first bytes of a disk, as the UEFI specification has it (5.2, 5.3).
 * Undefined: there is none that can be read. `elsewhere`: it lies beyond these bytes, as it may.
 */
export function readPartitionTable(start: Uint8Array): PartitionTable | 'elsewhere' | undefined {
  if (start.length < 512 || start[510] !== 0x55 || start[511] !== 0xaa) return undefined;
  const bootCode = start.subarray(0, BOOT_CODE).some((byte) => byte !== 0);
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  for (const sector of SECTORS) {
    if (!isGpt(start, sector)) continue;
    const partitions = gptEntries(start, view, sector);
    return typeof partitions === 'object' ? { kind: 'gpt', partitions, bootCode } : partitions;
  }
  const partitions = mbrEntries(view);
  // What protects a GPT, and the GPT is not there.
  if (partitions.some(({ type }) => type === hex(PROTECTIVE))) return undefined;
  return { kind: 'mbr', partitions, bootCode };
}

const SIGNATURE = [...'EFI PART'].map((letter) => letter.charCodeAt(0));
const isGpt = (start: Uint8Array, at: number): boolean =>
  SIGNATURE.every((byte, i) => start[at + i] === byte);

const hex = (type: number): string => `0x${type.toString(16).padStart(2, '0')}`;

function mbrEntries(view: DataView): Partition[] {
  return [0, 1, 2, 3].flatMap((i) => {
    const at = MBR_ENTRIES + 16 * i;
    const type = view.getUint8(at + 4);
    const first = view.getUint32(at + 8, true) * 512;
    const length = view.getUint32(at + 12, true) * 512;
    return type === 0 || length === 0 ? [] : [{ type: hex(type), first, end: first + length }];
  });
}

function gptEntries(
  start: Uint8Array,
  view: DataView,
  sector: number,
): Partition[] | 'elsewhere' | undefined {
  if (start.length < sector + 92) return undefined;
  const from = Number(view.getBigUint64(sector + 72, true)) * sector;
  const count = view.getUint32(sector + 80, true);
  const size = view.getUint32(sector + 84, true);
  if (count === 0 || count > MAX_ENTRIES || size < 128 || size % 8 !== 0) return undefined;
  if (from < 2 * sector) return undefined;
  if (from + count * size > start.length) return start.length < TABLE_BYTES ? undefined : 'elsewhere';
  return Array.from({ length: count }, (_, i) => from + i * size).flatMap((at) => {
    const type = guid(start, view, at);
    if (/^[0-]+$/.test(type)) return [];
    const first = Number(view.getBigUint64(at + 32, true)) * sector;
    return [{ type, first, end: (Number(view.getBigUint64(at + 40, true)) + 1) * sector }];
  });
}

/** A GUID as it is written: its first three parts are little-endian on the disk. */
function guid(bytes: Uint8Array, view: DataView, at: number): string {
  const digits = (value: number, length: number): string => value.toString(16).padStart(length, '0');
  const rest = [...bytes.subarray(at + 8, at + 16)].map((byte) => digits(byte, 2)).join('');
  return [
    digits(view.getUint32(at, true), 8),
    digits(view.getUint16(at + 4, true), 4),
    digits(view.getUint16(at + 6, true), 4),
    rest.slice(0, 4),
    rest.slice(4),
  ].join('-');
}

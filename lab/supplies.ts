import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { iso9660 } from '../core/iso9660.ts';
import { FIRMWARE_MAGIC } from './firmware.ts';
import { LAB_MODEL } from './hardware.ts';
import { writeAtomic } from './store.ts';

const MIB = 1024 * 1024;
const RESERVED_AREA = 4096;
const MARKER = '#RACKWRIGHT-PARAMETERS#\n';

/** Pretend operating system images: name and size. */
const IMAGES = { 'ubuntu-24.04': 4 * MIB, 'rocky-9': 3 * MIB } as const;

/** Bytes that look random and are always the same for the same name. */
function fill(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let seed = createHash('sha256').update(name).digest();
  for (let at = 0; at < size; at += seed.length) {
    seed = createHash('sha256').update(seed).digest();
    seed.copy(bytes, at);
  }
  return bytes;
}

/** The types of an EFI system partition and of a Linux root for x86-64, as they stand on a disk; and their sizes. */
const PARTITIONS = [
  ['28732ac11ff8d211ba4b00a0c93ec93b', 1024],
  ['e3bc684fcde8b14d96e7fbcaf984b709', Infinity],
] as const;
const FIRST_SECTOR = 64;

/** A whole-disk image: a protective MBR, a GPT without its checksums, and filling. */
export function pretendImage(name: string, size: number): Buffer {
  const bytes = fill(name, size);
  bytes.fill(0, 0, FIRST_SECTOR * 512);
  bytes.set([0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff, 1, 0, 0, 0], 446);
  bytes.writeUInt32LE(size / 512 - 1, 458);
  bytes.set([0x55, 0xaa], 510);
  bytes.write('EFI PART', 512, 'ascii');
  bytes.writeBigUInt64LE(2n, 512 + 72);
  bytes.writeUInt32LE(128, 512 + 80);
  bytes.writeUInt32LE(128, 512 + 84);
  let next = FIRST_SECTOR;
  for (const [i, [type, sectors]] of PARTITIONS.entries()) {
    const last = Math.min(next + sectors, size / 512 - 34) - 1;
    const entry = 1024 + 128 * i;
    bytes.write(type, entry, 'hex');
    bytes.writeBigUInt64LE(BigInt(next), entry + 32);
    bytes.writeBigUInt64LE(BigInt(last), entry + 40);
    next = last + 1;
  }
  return bytes;
}

/** The base ISO of the lab's deploy agent, with the area that a publisher fills in for each node. */
export function baseIso(): Uint8Array {
  return iso9660({
    label: 'ir-vfd-dev',
    files: [
      { path: 'parameters.txt', bytes: Buffer.from(MARKER.padEnd(RESERVED_AREA, '\n')) },
      { path: 'boot/vmlinuz', bytes: fill('kernel', 256 * 1024) },
      { path: 'boot/initrd', bytes: fill('ramdisk', 512 * 1024) },
    ],
  });
}

/** The firmware that the lab's baseline asks for, by component. */
export const FIRMWARE_BASELINE = { BMC: '2.15.0', NIC: '28.40.1000', BIOS: '1.9.0' } as const;

/** A firmware file: its head, and filling. */
export function firmwareFile(component: string, version: string, model: string = LAB_MODEL): Buffer {
  const head = `${FIRMWARE_MAGIC}${JSON.stringify({ model, component, version })}\n`;
  return Buffer.concat([Buffer.from(head), fill(`${component} ${version}`, 64 * 1024)]);
}

export interface FirmwareSupply {
  readonly component: string;
  readonly version: string;
  readonly path: string;
  readonly checksum: string;
}

/** Puts the firmware of the baseline into the folder, unless it is there. */
export function writeFirmware(dir: string): FirmwareSupply[] {
  return Object.entries(FIRMWARE_BASELINE).map(([component, version]) => {
    const path = `firmware/${component.toLowerCase()}-${version}.bin`;
    if (!existsSync(join(dir, path))) writeAtomic(join(dir, path), firmwareFile(component, version), 0o644);
    return { component, version, path, checksum: checksumOf(join(dir, path)) };
  });
}

/** SHA-256 of a file, as the contract has it. */
export const checksumOf = (path: string): string =>
  `sha256:${createHash('sha256').update(readFileSync(path)).digest('hex')}`;

export interface Supply {
  readonly name: string;
  readonly path: string;
  readonly checksum: string;
  readonly size: number;
}

/** Puts the base ISO and the images into the folder, unless they are there. */
export function writeSupplies(dir: string): Supply[] {
  const iso = join(dir, 'base.iso');
  if (!existsSync(iso)) writeAtomic(iso, baseIso(), 0o644);
  return Object.entries(IMAGES).map(([name, size]) => {
    const path = `images/${name}.raw`;
    if (!existsSync(join(dir, path))) writeAtomic(join(dir, path), pretendImage(name, size), 0o644);
    return { name, path, checksum: checksumOf(join(dir, path)), size };
  });
}

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { saved, writeAtomic } from './store.ts';

/** What stands on a disk, as far as anyone in the lab could find out. */
export interface DiskContents {
  /** What the firmware would boot; null when the disk has no partition table. */
  image: { id: string; digest: string; sizeBytes: number; writtenAt: string | null } | null;
  /** Whether the disk has a config drive; its bytes are asked of the store. */
  configDrive: boolean;
  /** Data that owners' systems left on the disk. Only a full erase takes it away. */
  canaries: string[];
  erasedAt: string | null;
  /** The instance (uuid of the config drive) whose first boot was reported. */
  firstBoot: string | null;
}

/** The disks of one server, by serial number. Every write is on file when the call returns. */
export interface DiskStore {
  get(serial: string): DiskContents;
  update(serial: string, change: Partial<DiskContents>): void;
  configDrive(serial: string): Uint8Array | undefined;
  putConfigDrive(serial: string, iso: Uint8Array | undefined): void;
}

/** The system that sits on every disk at first, left by someone long gone. */
export const OLD_OS = 'old-os';

const oldDisk = (name: string, serial: string): DiskContents => ({
  image: { id: OLD_OS, digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 1_048_576, writtenAt: null },
  configDrive: false,
  canaries: [`left on ${serial} by the previous owner of ${name}`],
  erasedAt: null,
  firstBoot: null,
});

/** Keeps disk contents in a folder. */
export function fileDiskStore(dir: string, name: string, serials: readonly string[]): DiskStore {
  mkdirSync(dir, { recursive: true });
  const file = saved<Record<string, DiskContents>>(join(dir, 'disks.json'), () =>
    Object.fromEntries(serials.map((serial) => [serial, oldDisk(name, serial)])),
  );
  const drivePath = (serial: string): string => join(dir, `config-drive-${serial}.iso`);
  const get = (serial: string): DiskContents => {
    const contents = file.value[serial];
    if (contents === undefined) throw new Error(`there is no disk ${serial}`);
    return contents;
  };
  const update = (serial: string, change: Partial<DiskContents>): void => {
    file.value[serial] = { ...get(serial), ...change };
    file.save();
  };
  return {
    get,
    update,
    configDrive: (serial) =>
      get(serial).configDrive && existsSync(drivePath(serial)) ? readFileSync(drivePath(serial)) : undefined,
    putConfigDrive(serial, iso) {
      if (iso !== undefined) writeAtomic(drivePath(serial), iso);
      update(serial, { configDrive: iso !== undefined });
      if (iso === undefined) rmSync(drivePath(serial), { force: true });
    },
  };
}

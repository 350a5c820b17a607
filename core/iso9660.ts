import { fail } from './errors/failure.ts';

export * from './iso9660-reader.ts';

const SECTOR = 2048;
const FIRST_DESCRIPTOR = 16;
const MAX_NAME = 31;
const MAX_DEPTH = 8;
const ascii = new TextEncoder();

const invalid = (message: string): Error => fail('ISO_INVALID', message);

/** What goes into a volume. Paths are relative, with `/` between names. */
export interface IsoInput {
  readonly label: string;
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

interface Directory {
  name: string;
  parent: Directory | undefined;
  directories: Directory[];
  files: { name: string; bytes: Uint8Array; sector: number }[];
  sector: number;
  size: number;
}

/**
 * Writes an ISO 9660 volume with relaxed level 2 names: names keep their lower case (Linux shows
 * `meta_data.json` as it was given), up to 31 characters, up to eight levels. The same input gives
 * the same bytes: no time of now goes in.
 */
export function iso9660({ label, files }: IsoInput): Uint8Array {
  if (!/^[\w.-]{1,32}$/.test(label)) throw invalid(`"${label}" cannot be the label of a volume`);
  const directories = breadthFirst(plant(files));
  const tableSize = directories.reduce((sum, d) => sum + pathTableEntrySize(d), 0);
  const tableSectors = sectors(tableSize);
  const littleTable = FIRST_DESCRIPTOR + 2;
  let next = littleTable + 2 * tableSectors;
  for (const directory of directories) {
    directory.sector = next;
    directory.size = directorySize(directory);
    next += directory.size / SECTOR;
  }
  for (const file of directories.flatMap((d) => d.files)) {
    file.sector = next;
    next += sectors(file.bytes.length);
  }

  const out = new Uint8Array(next * SECTOR);
  const view = new DataView(out.buffer);
  writeDescriptor(out, view, label, next, tableSize, tableSectors, directories[0]!);
  out.set([255, ...ascii.encode('CD001'), 1], (FIRST_DESCRIPTOR + 1) * SECTOR);
  writePathTable(out, view, littleTable * SECTOR, directories, true);
  writePathTable(out, view, (littleTable + tableSectors) * SECTOR, directories, false);
  for (const directory of directories) {
    writeDirectory(out, directory);
    for (const file of directory.files) out.set(file.bytes, file.sector * SECTOR);
  }
  return out;
}

const sectors = (bytes: number): number => Math.ceil(bytes / SECTOR);
const newDirectory = (name: string, parent?: Directory): Directory => ({
  name,
  parent,
  directories: [],
  files: [],
  sector: 0,
  size: 0,
});

function plant(files: IsoInput['files']): Directory {
  const root = newDirectory('');
  const seen = new Set<string>();
  for (const { path, bytes } of files) {
    const parts = path.split('/');
    if (parts.some((part) => !/^[\w.+-]+$/.test(part) || part.length > MAX_NAME || /^\.+$/.test(part)))
      throw invalid(`"${path}" has a name that a volume cannot carry`);
    if (parts.length > MAX_DEPTH) throw invalid(`"${path}" is nested too deep for a volume`);
    if (seen.has(path.toLowerCase())) throw invalid(`"${path}" is there twice`);
    seen.add(path.toLowerCase());
    const name = parts.pop()!;
    let at = root;
    for (const part of parts) {
      let child = at.directories.find((d) => d.name === part);
      if (child === undefined) at.directories.push((child = newDirectory(part, at)));
      at = child;
    }
    at.files.push({ name, bytes, sector: 0 });
  }
  for (const directory of breadthFirst(root)) {
    const names = [...directory.directories, ...directory.files].map((entry) => entry.name.toLowerCase());
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw invalid(`"${twice}" is there twice`);
  }
  return root;
}

/** Directories level by level, children sorted: the order of the path table. */
function breadthFirst(root: Directory): Directory[] {
  const all = [root];
  for (let i = 0; i < all.length; i++) {
    all[i]!.directories.sort(byName);
    all[i]!.files.sort(byName);
    all.push(...all[i]!.directories);
  }
  return all;
}

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

const fileIdentifier = (name: string): string => `${name.includes('.') ? name : `${name}.`};1`;
const evenly = (length: number): number => length + (length % 2);
const pathTableEntrySize = (d: Directory): number => evenly(8 + Math.max(1, d.name.length));

function records(directory: Directory): Uint8Array[] {
  const parent = directory.parent ?? directory;
  const children = [
    ...directory.directories.map((d) => ({ name: d.name, record: record(d.name, d.sector, d.size, true) })),
    ...directory.files.map((f) => ({
      name: f.name,
      record: record(fileIdentifier(f.name), f.sector, f.bytes.length, false),
    })),
  ].sort(byName);
  return [
    record('\0', directory.sector, directory.size, true),
    record('\u0001', parent.sector, parent.size, true),
    ...children.map((child) => child.record),
  ];
}

function record(identifier: string, sector: number, size: number, directory: boolean): Uint8Array {
  const bytes = new Uint8Array(evenly(33 + identifier.length));
  const view = new DataView(bytes.buffer);
  bytes[0] = bytes.length;
  both32(view, 2, sector);
  both32(view, 10, size);
  bytes.set([100, 1, 1, 0, 0, 0, 0], 18); // recorded on 2000-01-01, always
  bytes[25] = directory ? 2 : 0;
  both16(view, 28, 1);
  bytes[32] = identifier.length;
  bytes.set(ascii.encode(identifier), 33);
  return bytes;
}

/** Where each record of a directory goes: none may cross the end of a sector. */
function* placed(directory: Directory): Generator<[number, Uint8Array]> {
  let at = 0;
  for (const bytes of records(directory)) {
    if ((at % SECTOR) + bytes.length > SECTOR) at = sectors(at) * SECTOR;
    yield [at, bytes];
    at += bytes.length;
  }
}

function directorySize(directory: Directory): number {
  let end = 0;
  for (const [at, bytes] of placed(directory)) end = at + bytes.length;
  return sectors(end) * SECTOR;
}

function writeDirectory(out: Uint8Array, directory: Directory): void {
  for (const [at, bytes] of placed(directory)) out.set(bytes, directory.sector * SECTOR + at);
}

function writePathTable(
  out: Uint8Array,
  view: DataView,
  start: number,
  directories: readonly Directory[],
  little: boolean,
): void {
  let at = start;
  for (const directory of directories) {
    const name = directory.name === '' ? '\0' : directory.name;
    out[at] = name.length;
    view.setUint32(at + 2, directory.sector, little);
    view.setUint16(at + 6, directories.indexOf(directory.parent ?? directory) + 1, little);
    out.set(ascii.encode(name), at + 8);
    at += pathTableEntrySize(directory);
  }
}

function writeDescriptor(
  out: Uint8Array,
  view: DataView,
  label: string,
  volumeSectors: number,
  tableSize: number,
  tableSectors: number,
  root: Directory,
): void {
  const base = FIRST_DESCRIPTOR * SECTOR;
  out.set([1, ...ascii.encode('CD001'), 1], base);
  out.fill(0x20, base + 8, base + 72);
  out.set(ascii.encode(label), base + 40);
  both32(view, base + 80, volumeSectors);
  both16(view, base + 120, 1);
  both16(view, base + 124, 1);
  both16(view, base + 128, SECTOR);
  both32(view, base + 132, tableSize);
  view.setUint32(base + 140, FIRST_DESCRIPTOR + 2, true);
  view.setUint32(base + 148, FIRST_DESCRIPTOR + 2 + tableSectors, false);
  out.set(record('\0', root.sector, root.size, true), base + 156);
  out.fill(0x20, base + 190, base + 813);
  const dates = ['2000010100000000', '2000010100000000', '0000000000000000', '0000000000000000'];
  for (const [i, date] of dates.entries()) out.set(ascii.encode(date), base + 813 + 17 * i);
  out[base + 881] = 1;
}

function both16(view: DataView, at: number, value: number): void {
  view.setUint16(at, value, true);
  view.setUint16(at + 2, value, false);
}

function both32(view: DataView, at: number, value: number): void {
  view.setUint32(at, value, true);
  view.setUint32(at + 4, value, false);
}

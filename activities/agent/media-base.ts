import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import {
  isBlankArea,
  MEDIA_LABEL,
  MEDIA_MARKER,
  PARAMETERS_PATH,
  patched,
  RESERVED_BYTES,
} from '../../core/agent/parameters.ts';
import { readIso9660From, type IsoFile, type IsoVolume } from '../../core/iso9660.ts';

/** A base ISO that was looked through once. */
export interface MediaBase {
  readonly path: string;
  readonly size: number;
  /** SHA-256 of the whole ISO, in hexadecimal. */
  readonly sha256: string;
  /** Where the reserved area begins: as the volume's directory has it, then its copies, as in an EFI partition. */
  readonly areasAt: readonly number[];
}

const MAX_KEPT = 16;
/** More markers than this are no copies. */
const MAX_AREAS = 16;
const kept = new Map<string, { readonly stamp: string; readonly base: Promise<MediaBase> }>();

const invalid = (path: string, why: string, reason?: string): RackwrightError =>
  fail('MEDIA_BASE_INVALID', `The base ISO ${path} ${why}.`, {
    details: { path, ...(reason === undefined ? {} : { reason }) },
  });

/**
 * The base ISO at this path, looked through when it is first used and again when the file changes.
 * Throws MEDIA_BASE_INVALID.
 */
export async function mediaBase(path: string): Promise<MediaBase> {
  const file = await stat(path).catch(() => undefined);
  if (file === undefined || !file.isFile()) throw invalid(path, 'is not there');
  const stamp = `${file.size}:${file.mtimeMs}:${file.ino}`;
  const known = kept.get(path);
  if (known?.stamp === stamp) return known.base;
  const base = lookThrough(path, file.size).then((seen) => seen.base);
  kept.set(path, { stamp, base });
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  base.catch(() => kept.delete(path));
  return base;
}

/**
 * The base ISO at this path as its bytes are now, whatever was known of it, and the files in it.
 * Throws MEDIA_BASE_INVALID, with the system's code as `reason` where it could not be read.
 */
export async function freshMediaBase(
  path: string,
  signal?: AbortSignal,
): Promise<{ base: MediaBase; files: readonly IsoFile[] }> {
  const file = await stat(path).catch((error: unknown) => {
    throw invalid(path, 'is not there, or cannot be looked at', codeOf(error));
  });
  if (!file.isFile()) throw invalid(path, 'is no file');
  return lookThrough(path, file.size, signal);
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'unknown error');

async function lookThrough(
  path: string,
  size: number,
  signal?: AbortSignal,
): Promise<{ base: MediaBase; files: readonly IsoFile[] }> {
  const { sha256, found } = await scan(path, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw invalid(path, `cannot be read (${codeOf(error)})`, codeOf(error));
  });
  const { volume, bytesAt } = await readVolume(path, found);
  if (volume.label.toLowerCase() !== MEDIA_LABEL) {
    throw invalid(path, `has the label "${volume.label}", and agents look for "${MEDIA_LABEL}"`);
  }
  const file = volume.files.find((each) => each.path === PARAMETERS_PATH);
  if (file === undefined || !found.includes(file.offset) || file.size !== RESERVED_BYTES) {
    throw invalid(path, `has no /${PARAMETERS_PATH} of ${RESERVED_BYTES} bytes that begins with the marker`);
  }
  const copies = found.filter((at) => at !== file.offset);
  for (const at of copies) {
    if (isBlankArea(bytesAt.get(at)!)) continue;
    throw invalid(
      path,
      `has the marker line ${MEDIA_MARKER} at byte ${at}, where no whole reserved area lies`,
    );
  }
  return { base: { path, size, sha256, areasAt: [file.offset, ...copies] }, files: volume.files };
}

/** Hashes the file and finds the marker, also across two pieces. */
async function scan(path: string, signal?: AbortSignal): Promise<{ sha256: string; found: number[] }> {
  const hash = createHash('sha256');
  const marker = Buffer.from(MEDIA_MARKER);
  const found: number[] = [];
  let before = Buffer.alloc(0);
  let at = 0;
  const options = { highWaterMark: 1 << 20, ...(signal === undefined ? {} : { signal }) };
  for await (const chunk of createReadStream(path, options)) {
    const piece = chunk as Buffer;
    hash.update(piece);
    const text = Buffer.concat([before, piece]);
    for (let i = text.indexOf(marker); i >= 0 && found.length < MAX_AREAS; i = text.indexOf(marker, i + 1)) {
      found.push(at - before.length + i);
    }
    at += piece.length;
    before = Buffer.from(text.subarray(Math.max(0, text.length - marker.length + 1)));
  }
  return { sha256: hash.digest('hex'), found };
}

/** The volume's directory, and what stands at the places where the marker was found. */
async function readVolume(
  path: string,
  found: readonly number[],
): Promise<{ volume: IsoVolume; bytesAt: ReadonlyMap<number, Uint8Array> }> {
  const file = await open(path, 'r');
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  try {
    const volume = await readIso9660From(read);
    const bytesAt = new Map<number, Uint8Array>();
    for (const at of found) bytesAt.set(at, await read(at, RESERVED_BYTES));
    return { volume, bytesAt };
  } catch (error) {
    const reason = error instanceof RackwrightError ? undefined : codeOf(error);
    throw invalid(
      path,
      `cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`,
      reason,
    );
  } finally {
    await file.close();
  }
}

/** What the ISO with these parameters is told apart by: the base and the parameters. */
export const mediaEtag = (base: MediaBase, area: Uint8Array): string =>
  `"${createHash('sha256').update(base.sha256).update(area).digest('hex').slice(0, 40)}"`;

/** Puts the parameters in their place, in a piece of the ISO that begins at `offset`. */
export const mediaPiece = (
  base: MediaBase,
  area: Uint8Array,
  piece: Uint8Array,
  offset: number,
): Uint8Array => base.areasAt.reduce((bytes, at) => patched(bytes, offset, at, area), piece);

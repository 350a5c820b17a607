import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import {
  MEDIA_LABEL,
  MEDIA_MARKER,
  PARAMETERS_PATH,
  patched,
  RESERVED_BYTES,
} from '../../core/agent/parameters.ts';
import { readIso9660From, type IsoVolume } from '../../core/iso9660.ts';

/** A base ISO that was looked through once. */
export interface MediaBase {
  readonly path: string;
  readonly size: number;
  /** SHA-256 of the whole ISO, in hexadecimal. */
  readonly sha256: string;
  /** Where the reserved area begins. */
  readonly areaAt: number;
}

const MAX_KEPT = 16;
const kept = new Map<string, { readonly stamp: string; readonly base: Promise<MediaBase> }>();

const invalid = (path: string, why: string): RackwrightError =>
  fail('MEDIA_BASE_INVALID', `The base ISO ${path} ${why}.`, { details: { path } });

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
  const base = prepare(path, file.size);
  kept.set(path, { stamp, base });
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  base.catch(() => kept.delete(path));
  return base;
}

async function prepare(path: string, size: number): Promise<MediaBase> {
  const { sha256, found } = await scan(path);
  if (found.length !== 1) {
    throw invalid(path, `has the marker line ${MEDIA_MARKER} ${found.length} times, and must have it once`);
  }
  const areaAt = found[0]!;
  const volume = await readVolume(path);
  if (volume.label.toLowerCase() !== MEDIA_LABEL) {
    throw invalid(path, `has the label "${volume.label}", and agents look for "${MEDIA_LABEL}"`);
  }
  const file = volume.files.find((each) => each.path === PARAMETERS_PATH);
  if (file === undefined || file.offset !== areaAt || file.size !== RESERVED_BYTES) {
    throw invalid(path, `has no /${PARAMETERS_PATH} of ${RESERVED_BYTES} bytes that begins with the marker`);
  }
  return { path, size, sha256, areaAt };
}

/** Hashes the file and finds the marker, also across two pieces. */
async function scan(path: string): Promise<{ sha256: string; found: number[] }> {
  const hash = createHash('sha256');
  const marker = Buffer.from(MEDIA_MARKER);
  const found: number[] = [];
  let before = Buffer.alloc(0);
  let at = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const piece = chunk as Buffer;
    hash.update(piece);
    const text = Buffer.concat([before, piece]);
    for (let i = text.indexOf(marker); i >= 0 && found.length < 3; i = text.indexOf(marker, i + 1)) {
      found.push(at - before.length + i);
    }
    at += piece.length;
    before = Buffer.from(text.subarray(Math.max(0, text.length - marker.length + 1)));
  }
  return { sha256: hash.digest('hex'), found };
}

async function readVolume(path: string): Promise<IsoVolume> {
  const file = await open(path, 'r');
  try {
    return await readIso9660From(async (offset, length) => {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    });
  } catch (error) {
    throw invalid(path, `cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`);
  } finally {
    await file.close();
  }
}

/** What the ISO with these parameters is told apart by: the base and the parameters. */
export const mediaEtag = (base: MediaBase, area: Uint8Array): string =>
  `"${createHash('sha256').update(base.sha256).update(area).digest('hex').slice(0, 40)}"`;

/** Bytes `start` to `end` (included) of the ISO with the parameters in their place. */
export async function* mediaBytes(
  base: MediaBase,
  area: Uint8Array,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let offset = start;
  for await (const chunk of createReadStream(base.path, { start, end, highWaterMark: 256 * 1024 })) {
    const piece = chunk as Buffer;
    yield patched(piece, offset, base.areaAt, area);
    offset += piece.length;
  }
}

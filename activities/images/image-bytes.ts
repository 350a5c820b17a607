import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Image } from '../../contracts/inventory/supply.ts';
import type { ImageVersion } from '../../core/images.ts';
import { IMAGE_HEAD_BYTES } from '../../core/image-format.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import { fetchImage, imageFile } from '../agent/image-source.ts';
import { sweepLeftovers } from '../records/atomic-file.ts';

/** What was read of an image, from its first byte to its last. */
export interface ImageRead {
  readonly checksum: string;
  readonly size: number;
  readonly head: Uint8Array;
}

type Source = Pick<Image, 'name' | 'url'>;

/** The bytes of an image, from where they lie. */
async function bytesOf(image: Source, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const file = await imageFile(image);
  const stop = signal === undefined ? {} : { signal };
  if (file !== undefined) return createReadStream(file.path, { highWaterMark: 1 << 20, ...stop });
  const answer = await fetchImage(image.url, { method: 'GET', ...stop });
  return answer.body as AsyncIterable<Uint8Array>;
}

/** Reads the whole image once, piece by piece. Throws IMAGE_SOURCE_UNREACHABLE, and what is thrown at a piece. */
export async function readImage(
  image: Source,
  each: (piece: Uint8Array) => Promise<void> = async () => undefined,
  signal?: AbortSignal,
): Promise<ImageRead> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of await bytesOf(image, signal)) {
      hash.update(piece);
      if (size < IMAGE_HEAD_BYTES) head.push(piece.subarray(0, IMAGE_HEAD_BYTES));
      size += piece.length;
      await each(piece);
    }
  } catch (error) {
    if (error instanceof RackwrightError) throw error;
    const code = String((error as { code?: unknown }).code ?? 'unknown error');
    throw fail('IMAGE_SOURCE_UNREACHABLE', `Image ${image.name} broke off after ${size} bytes (${code}).`);
  }
  return {
    checksum: `sha256:${hash.digest('hex')}`,
    size,
    head: Buffer.concat(head).subarray(0, IMAGE_HEAD_BYTES),
  };
}

/** Where the bytes of a version are read. */
export const placeOf = ({ kept, checksum, source }: ImageVersion, folder: string): string =>
  kept ? keptPath(folder, checksum) : source;

const keptPath = (folder: string, checksum: string): string => join(folder, checksum.replace(/^sha256:/, ''));

/**
 * Reads the whole image once and keeps what was read, if the judge does not throw at it.
 * Throws IMAGE_SOURCE_UNREACHABLE, IMAGE_NOT_KEPT, and what the judge throws; then nothing is kept.
 */
export async function keepImage(
  image: Source,
  folder: string,
  judge: (read: ImageRead) => void,
): Promise<ImageRead> {
  const temporary = join(folder, `.tmp-${process.pid}-${randomBytes(8).toString('hex')}`);
  try {
    const file = await writing(temporary, () => created(temporary));
    let read: ImageRead;
    try {
      read = await readImage(image, (piece) =>
        writing(temporary, async () => void (await file.writeFile(piece))),
      );
      judge(read);
      await writing(temporary, () => file.sync());
    } finally {
      await file.close();
    }
    await writing(temporary, () => rename(temporary, keptPath(folder, read.checksum)));
    return read;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function created(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await sweepLeftovers(dirname(path));
  return open(path, 'wx', 0o600);
}

async function writing<T>(path: string, what: () => Promise<T>): Promise<T> {
  try {
    return await what();
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? 'unknown error');
    throw fail('IMAGE_NOT_KEPT', `The copy in ${dirname(path)} could not be written (${code}).`);
  }
}

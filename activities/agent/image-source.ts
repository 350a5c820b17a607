import { open, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Agent, interceptors, request, type Dispatcher } from 'undici';
import type { Image } from '../../contracts/inventory/supply.ts';
import { fail } from '../../core/errors/failure.ts';
import { IMAGE_HEAD_BYTES } from '../../core/image-format.ts';

/** Images move when mirrors change: a few redirects are followed, each within a bound of its own. */
const dispatcher = new Agent({
  connect: { timeout: 10_000 },
  headersTimeout: 30_000,
  bodyTimeout: 60_000,
}).compose(interceptors.redirect({ maxRedirections: 3 }));

const unreachable = (message: string, details: { status?: number; reason?: string } = {}): Error =>
  fail('IMAGE_SOURCE_UNREACHABLE', message, { details });

/** The file of an image that lies on this host; undefined for one behind http. Throws IMAGE_SOURCE_UNREACHABLE. */
export async function imageFile(
  image: Pick<Image, 'name' | 'url'>,
): Promise<{ path: string; size: number; mtimeMs: number } | undefined> {
  if (/^https?:/i.test(image.url)) return undefined;
  const path = /^file:/i.test(image.url) ? fileURLToPath(image.url) : image.url;
  const found = await stat(path).catch((error: unknown) => {
    throw absent(image.name, path, String((error as { code?: unknown }).code ?? 'unknown error'));
  });
  if (!found.isFile()) throw absent(image.name, path, 'EISDIR');
  return { path, size: found.size, mtimeMs: found.mtimeMs };
}

/** Only the first three say that there is none; a folder that may not be entered, or a disk that fails, does not. */
const absent = (name: string, path: string, reason: string): Error =>
  unreachable(
    ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(reason)
      ? `Image ${name} is not on this host: ${path} is no file here.`
      : `Image ${name} cannot be looked at on this host: ${path} (${reason}).`,
    { reason },
  );

/** Asks the server of an image for it, or for a range of it. Throws IMAGE_SOURCE_UNREACHABLE. */
export async function fetchImage(
  url: string,
  how: { method: 'GET' | 'HEAD'; range?: string | undefined; signal?: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  const where = new URL(url);
  const answer = await request(url, {
    method: how.method,
    dispatcher,
    headers: how.range === undefined ? {} : { range: how.range },
    ...(how.signal === undefined ? {} : { signal: how.signal }),
  }).catch((error: unknown) => {
    const code = (error as { code?: unknown }).code;
    throw unreachable(
      `No answer from ${where.origin} (${typeof code === 'string' ? code : 'unknown error'}).`,
    );
  });
  if (answer.statusCode < 300) return answer;
  await answer.body.dump();
  throw unreachable(`${where.origin}${where.pathname} answered ${answer.statusCode}.`, {
    status: answer.statusCode,
  });
}

/** The size of an image as its source tells it; undefined where it does not. Throws IMAGE_SOURCE_UNREACHABLE. */
export async function imageSize(
  image: Pick<Image, 'name' | 'url'>,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const file = await imageFile(image);
  if (file !== undefined) return file.size;
  const answer = await fetchImage(image.url, { method: 'HEAD', ...(signal === undefined ? {} : { signal }) });
  await answer.body.dump();
  const length = Number(answer.headers['content-length']);
  return Number.isSafeInteger(length) && length > 0 ? length : undefined;
}

async function fileHead(name: string, path: string, bytes: number): Promise<Uint8Array> {
  try {
    await using handle = await open(path);
    const head = Buffer.alloc(bytes);
    return head.subarray(0, (await handle.read(head, 0, head.length, 0)).bytesRead);
  } catch (error) {
    throw absent(name, path, String((error as { code?: unknown }).code ?? 'unknown error'));
  }
}

/** All that a beginning may take, also from a server that sends it byte by byte: less than an attempt. */
const HEAD_MS = 20_000;

/** The first bytes of an image, by which its format is told. Throws IMAGE_SOURCE_UNREACHABLE. */
export async function imageHead(
  image: Pick<Image, 'name' | 'url'>,
  signal?: AbortSignal,
  boundMs = HEAD_MS,
  bytes = IMAGE_HEAD_BYTES,
): Promise<Uint8Array> {
  const file = await imageFile(image);
  if (file !== undefined) return fileHead(image.name, file.path, bytes);
  const range = `bytes=0-${bytes - 1}`;
  const bound = AbortSignal.timeout(boundMs);
  const both = signal === undefined ? bound : AbortSignal.any([signal, bound]);
  const answer = await fetchImage(image.url, { method: 'GET', range, signal: both });
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    // A server without ranges sends all of it: no more is read than is needed.
    for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
      pieces.push(piece);
      length += piece.length;
      if (length >= bytes) break;
    }
  } catch {
    throw unreachable(`${new URL(image.url).origin} broke off after ${length} bytes of image ${image.name}.`);
  }
  return Buffer.concat(pieces).subarray(0, bytes);
}

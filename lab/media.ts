import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { readIso9660From } from '../core/iso9660.ts';

/** The BMC could not fetch an image. */
export class MediaError extends Error {}

const MAX_PARAMETERS = 64 * 1024;
// A BMC fetches over whatever TLS it is given: checking certificates of image servers is rare in firmware.
export const lenient = new Agent({ connect: { rejectUnauthorized: false, timeout: 30_000 } });

/** How long a drive waits for a server that is gone, and how often it tries: the firmware sees a slow read only. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 250;

/** Tries again while nobody takes the connection. */
async function patiently<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(AGAIN_MS, undefined, { signal })) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as { code?: unknown };
      const gone = code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET';
      if (!gone || Date.now() > end) throw error;
    }
  }
}

/** Asks for the image with HEAD, as a BMC does when media are inserted; answers its size. */
export async function probeImage(url: string, signal: AbortSignal): Promise<number> {
  try {
    return await sizeOf(url, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MediaError) throw error;
    throw new MediaError(`the image server could not be reached: ${(error as Error).message}`);
  }
}

async function sizeOf(url: string, signal: AbortSignal): Promise<number> {
  if (!/^https?:\/\//.test(url)) throw new MediaError(`cannot fetch from ${url.split(':')[0] ?? url}`);
  const answer = await request(url, { method: 'HEAD', dispatcher: lenient, signal: bounded(signal) });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new MediaError(`the image server answered ${answer.statusCode}`);
  const size = Number(answer.headers['content-length']);
  if (!(size > 0)) throw new MediaError('the image server did not say how long the image is');
  return size;
}

/**
 * Boots from an image: reads its tree and its parameters by Range requests, as a drive would. Parameters stand on
 * the command line that its boot loader gives to the kernel, in `/parameters.txt`, or in both: then the file wins.
 */
export async function readBootMedia(
  url: string,
  signal: AbortSignal,
): Promise<{ label: string; parameters: string; bytesRead: number }> {
  let bytesRead = 0;
  let size = 0;
  const read = (offset: number, length: number): Promise<Uint8Array> =>
    patiently(signal, () => readOnce(offset, length));
  const readOnce = async (offset: number, length: number): Promise<Uint8Array> => {
    const last = Math.min(offset + length, size) - 1;
    if (last < offset) return new Uint8Array();
    const answer = await request(url, {
      dispatcher: lenient,
      signal: bounded(signal),
      headers: { range: `bytes=${offset}-${last}` },
    });
    if (answer.statusCode !== 206) {
      await answer.body.dump();
      throw new MediaError(`the image server answered ${answer.statusCode} to a Range request`);
    }
    const bytes = new Uint8Array(await answer.body.arrayBuffer());
    bytesRead += bytes.length;
    return bytes;
  };
  try {
    size = await patiently(signal, () => sizeOf(url, signal));
    const volume = await readIso9660From(read);
    const kernel = volume.files.find((file) => /(^|\/)(vmlinuz|kernel)$/.test(file.path));
    if (kernel === undefined) throw new MediaError('there is no kernel on the image');
    await read(kernel.offset, kernel.size);
    const text = async (path: RegExp): Promise<string | undefined> => {
      const file = volume.files.find((f) => path.test(f.path));
      if (file === undefined || file.size > MAX_PARAMETERS) return undefined;
      return Buffer.from(await read(file.offset, file.size)).toString();
    };
    const commandLine = kernelArguments((await text(/(^|\/)grub\.cfg$/i)) ?? '');
    const parameters = await text(/^parameters\.txt$/);
    if (commandLine === undefined && parameters === undefined)
      throw new MediaError('there is neither a /parameters.txt nor a kernel command line');
    return {
      label: volume.label,
      parameters: [commandLine, parameters].filter(Boolean).join('\n'),
      bytesRead,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof MediaError ? error : new MediaError((error as Error).message);
  }
}

/** What GRUB hands to the kernel, as its first menu entry says; undefined where there is none. */
export const kernelArguments = (grubConfig: string): string | undefined =>
  /^\s*linux(?:efi)?\s+\S+[ \t]*(.*)$/m.exec(grubConfig)?.[1]?.replace(/(^|\s)--\s*$/, '');

const bounded = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(60_000)]);

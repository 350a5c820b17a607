import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { fail, RackwrightError } from '../../core/errors/failure.ts';

/** The end of a console's log, and when it was last written to, where that is known. */
export interface ConsoleEnd {
  readonly bytes: Uint8Array;
  /** Whether the log has more before it. */
  readonly cut: boolean;
  readonly writtenAt: string | null;
}

const TIMEOUT_MS = 10_000;
/** A server that sends no ranges is read from the beginning, up to here. */
const MAX_READ = 64 * 1024 * 1024;

const dispatcher = new Agent({
  connect: { timeout: 5_000 },
  headersTimeout: TIMEOUT_MS,
  bodyTimeout: TIMEOUT_MS,
});
const unread = (why: string): Error => fail('CONSOLE_UNREADABLE', `The console could not be read: ${why}.`);
const codeOf = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
};

/** The end of a file on this host. Throws CONSOLE_UNREADABLE. */
export async function endOfFile(path: string, most: number): Promise<ConsoleEnd> {
  try {
    // What is no file, such as a device, may have no end, and opening a pipe may wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw unread('it is not a file');
      const start = Math.max(0, found.size - most);
      const bytes = Buffer.alloc(found.size - start);
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await file.read(bytes, length, bytes.length - length, start + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return {
        bytes: bytes.subarray(0, length),
        cut: start > 0,
        writtenAt: new Date(found.mtimeMs).toISOString(),
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof RackwrightError) throw error;
    throw unread(`reading the file on this worker failed with ${codeOf(error)}`);
  }
}

/** The end of a log behind a URL, asked for by range. Throws CONSOLE_UNREADABLE. */
export async function endOfUrl(
  url: string,
  most: number,
  { login, signal }: { login?: { username: string; password: string } | undefined; signal: AbortSignal },
): Promise<ConsoleEnd> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const basic = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
  try {
    const answer = await request(url, {
      dispatcher,
      signal: bounded,
      headers: {
        range: `bytes=-${most}`,
        'accept-encoding': 'identity',
        ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
      },
    });
    const { statusCode, headers, body } = answer;
    if (statusCode !== 200 && statusCode !== 206) {
      await body.dump();
      // An empty log has no such range.
      if (statusCode === 416) return { bytes: new Uint8Array(), cut: false, writtenAt: null };
      throw unread(`the server answered ${statusCode}`);
    }
    const { end, read } = await endOf(body, most);
    const written = Date.parse(String(headers['last-modified']));
    return {
      bytes: end,
      cut: read > most || (statusCode === 206 && !String(headers['content-range']).startsWith('bytes 0-')),
      writtenAt: Number.isFinite(written) ? new Date(written).toISOString() : null,
    };
  } catch (error) {
    if (error instanceof RackwrightError) throw error;
    signal.throwIfAborted();
    throw unread(`no whole answer from its server (${codeOf(error)})`);
  }
}

async function endOf(
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<{ end: Uint8Array; read: number }> {
  let end = Buffer.alloc(0);
  let read = 0;
  for await (const piece of body) {
    read += piece.length;
    if (read > MAX_READ) throw unread('the server sends no ranges, and the log is too long to read whole');
    end = Buffer.concat([end, piece]).subarray(-most);
  }
  return { end, read };
}

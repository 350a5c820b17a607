import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, notYet, RackwrightError } from '../../core/errors/failure.ts';
import { fetchImage } from '../agent/image-source.ts';

/** A firmware file: where it is, and which one is meant. */
export interface FirmwareSource {
  readonly component: string;
  readonly url?: string | undefined;
  readonly file?: string | undefined;
  readonly checksum: string;
}

const MAX_BYTES = 4 * 1024 ** 3;
/** An attempt waits this long for a file that is being read; the next attempt waits on. */
const WAIT_MS = 30_000;
/** A read that nobody waits for any more ends. */
const FORGOTTEN_MS = 120_000;
/** What was found right is believed for this long: a rack of servers takes the same file. */
const BELIEVED_MS = 900_000;

interface Reading {
  readonly done: Promise<{ readonly sha256: string; readonly bytes: number }>;
  readonly began: number;
  ended: boolean;
  bytes: number;
  waitedAt: number;
}
const readings = new Map<string, Reading>();

/**
 * Reads a firmware file from its source and compares its hash with the contract's, in the background: a large
 * file may take longer than one attempt. "Not yet" until it is read. @returns its size
 */
export async function verifySource(source: FirmwareSource): Promise<number> {
  const key = JSON.stringify([source.url, source.file, source.checksum]);
  const known = readings.get(key);
  const stale = known?.ended === true && Date.now() - known.began > BELIEVED_MS;
  const reading = known === undefined || stale ? begin(key, source) : known;
  reading.waitedAt = Date.now();
  const waiting = new AbortController();
  const result = await Promise.race([
    reading.done,
    sleep(WAIT_MS, undefined, { signal: waiting.signal }).catch(() => undefined),
  ]).finally(() => waiting.abort());
  if (result === undefined) {
    const mib = Math.round(reading.bytes / 1024 ** 2);
    throw notYet(
      'IMAGE_SOURCE_UNREACHABLE',
      `The firmware of ${source.component} is being read: ${mib} MiB so far.`,
      1_000,
    );
  }
  if (`sha256:${result.sha256}` === source.checksum) return result.bytes;
  readings.delete(key);
  throw fail(
    'FIRMWARE_FILE_WRONG',
    `The file for ${source.component} has SHA-256 ${result.sha256}, and the contract wants ${source.checksum.replace('sha256:', '')}.`,
  );
}

function begin(key: string, source: FirmwareSource): Reading {
  const forgotten = new AbortController();
  const now = Date.now();
  const reading: Reading = {
    done: read(
      source,
      (bytes) => {
        reading.bytes = bytes;
        if (Date.now() - reading.waitedAt > FORGOTTEN_MS) forgotten.abort();
      },
      forgotten.signal,
    ),
    began: now,
    ended: false,
    bytes: 0,
    waitedAt: now,
  };
  readings.set(key, reading);
  reading.done.then(
    () => (reading.ended = true),
    () => readings.delete(key),
  );
  return reading;
}

async function read(
  source: FirmwareSource,
  progress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of await open(source, signal)) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BYTES)
      throw fail('FIRMWARE_FILE_WRONG', `The file for ${source.component} is larger than 4 GiB.`);
    hash.update(chunk as Buffer);
    progress(bytes);
    signal.throwIfAborted();
  }
  return { sha256: hash.digest('hex'), bytes };
}

async function open(
  { component, url, file }: FirmwareSource,
  signal: AbortSignal,
): Promise<AsyncIterable<unknown>> {
  if (url !== undefined) return (await fetched(url, signal)).body;
  const found = await stat(file!).catch(() => undefined);
  if (found?.isFile()) return createReadStream(file!);
  throw gone(`The file for ${component} is not on this host: ${file} is no file here.`);
}

/** A file that is not there will not be there in a moment. */
const gone = (message: string): Error => fail('IMAGE_SOURCE_UNREACHABLE', message, { retryable: false });

async function fetched(url: string, signal: AbortSignal): ReturnType<typeof fetchImage> {
  try {
    return await fetchImage(url, { method: 'GET', signal });
  } catch (error) {
    const status = error instanceof RackwrightError ? error.failure.details?.['status'] : undefined;
    if (typeof status !== 'number' || status >= 500 || status === 429) throw error;
    throw gone((error as Error).message);
  }
}

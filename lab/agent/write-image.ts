import { createHash } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { TIMING } from '../timing.ts';
import { AgentError } from './commands.ts';
import type { AgentOptions } from './options.ts';
import { rootDevice } from './root-device.ts';

interface ImageInfo {
  id: string;
  urls: string[];
  os_hash_algo?: string;
  os_hash_value?: string;
  checksum?: string;
  disk_format?: string;
  stream_raw_images?: boolean;
}

const ATTEMPTS = 3;
/** Where nobody answers, it tries as long as the real one; a restart out there is no faster than the lab. */
const UNANSWERED = { attempts: 10, pauseMs: 10_000 } as const;
const MAX_CONFIG_DRIVE = 64 * 1024 * 1024;
const MIB = 1024 * 1024;

/**
 * Writes an image as the agent does. A streamed raw image is written first and checked afterwards,
 * so a wrong one is on the disk when the command fails.
 */
export async function prepareImage(
  options: AgentOptions,
  signal: AbortSignal,
  hints: Record<string, unknown> | undefined,
  params: Record<string, unknown>,
): Promise<string> {
  const info = params['image_info'] as ImageInfo;
  const wrong = options.faults?.take('wrongImageBytes') ?? false;
  if (typeof info?.id !== 'string' || !Array.isArray(info.urls) || info.urls.length === 0)
    throw new AgentError('InvalidCommandParamsError', 400, 'Invalid command parameters', 'image_info');
  const disk = rootDevice(options.hardware.disks, hints);
  const { disks, log } = options;
  log?.('image-write-started', { image: info.id, device: disk.device, serial: disk.serial });
  if (options.faults?.take('agentFailsWrite')) {
    await options.pause(500, signal);
    disks.update(disk.serial, { image: null, firstBoot: null });
    disks.putConfigDrive(disk.serial, undefined);
    throw new AgentError(
      'ImageWriteError',
      500,
      'Error writing image to device',
      `${disk.device}: I/O error`,
    );
  }
  let failure: AgentError | undefined;
  for (let attempt = 1; attempt <= attemptsFor(failure); attempt++) {
    if (failure instanceof Unanswered) await sleep(UNANSWERED.pauseMs, undefined, { signal });
    else if (attempt > 1) await options.pause(2000, signal);
    try {
      await attemptWrite(options, signal, info, disk, wrong);
      failure = undefined;
      break;
    } catch (error) {
      if (!(error instanceof AgentError) || error.code === 400) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) {
    log?.('image-write-failed', { image: info.id, serial: disk.serial, reason: failure.message });
    throw failure;
  }
  const drive = await configDrive(params['configdrive'], signal);
  disks.putConfigDrive(disk.serial, drive);
  log?.('image-write-finished', {
    image: info.id,
    serial: disk.serial,
    digest: disks.get(disk.serial).image?.digest,
    configDrive: drive !== undefined,
  });
  return `image (${info.id}) written to device ${disk.device} root_uuid=0x00000000`;
}

/** The connection was refused, or broke. */
class Unanswered extends AgentError {}

const attemptsFor = (failure: AgentError | undefined): number =>
  failure instanceof Unanswered ? UNANSWERED.attempts : ATTEMPTS;

async function attemptWrite(
  { disks, pause }: AgentOptions,
  signal: AbortSignal,
  info: ImageInfo,
  disk: { device: string; serial: string; sizeBytes: number },
  wrong: boolean,
): Promise<void> {
  const streamed = info.disk_format === 'raw' && info.stream_raw_images === true;
  const touch = (): void => {
    disks.update(disk.serial, { image: null, firstBoot: null });
    disks.putConfigDrive(disk.serial, undefined);
  };
  if (streamed) touch();
  const algorithm = info.os_hash_algo ?? (info.checksum?.length === 128 ? 'sha512' : 'sha256');
  const got = await download(info.urls[0]!, algorithm, wrong, signal, (bytes) =>
    pause((bytes / MIB / TIMING.writeMiBPerSecond) * 1000, signal),
  );
  if (got.sizeBytes > disk.sizeBytes)
    throw new AgentError('InvalidImage', 400, 'Image is larger than the device', info.id);
  const keep = (): void =>
    disks.update(disk.serial, {
      image: {
        id: info.id,
        digest: got.digest,
        sizeBytes: got.sizeBytes,
        writtenAt: new Date().toISOString(),
      },
    });
  const expected = (info.os_hash_value ?? info.checksum ?? '').toLowerCase();
  if (streamed) keep();
  if (got.hash !== expected)
    throw new AgentError(
      'ImageChecksumError',
      500,
      'Error verifying image checksum',
      `Image failed to verify against checksum. image ID: ${info.id}; image checksum: ${expected}; verification checksum: ${got.hash}`,
    );
  if (!streamed) touch();
  keep();
  if (!got.partitioned)
    throw new AgentError('DeploymentError', 400, 'Deployment failed', 'No partitions found on the device');
}

/** Plain node:http: undici asserts when a server closes while a slow reader has it paused. */
function open(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const get = url.startsWith('https:') ? https.get : http.get;
  return new Promise((answered, failed) => {
    get(url, { signal, agent: false, rejectUnauthorized: false }, answered).once('error', failed);
  });
}

async function download(
  url: string,
  algorithm: string,
  wrong: boolean,
  signal: AbortSignal,
  written: (bytes: number) => Promise<void>,
): Promise<{ hash: string; digest: string; sizeBytes: number; partitioned: boolean }> {
  const [asked, sha256] = [createHash(algorithm), createHash('sha256')];
  let [sizeBytes, start] = [0, Buffer.alloc(0)];
  try {
    const answer = await open(url, signal);
    const { statusCode = 0 } = answer;
    if (statusCode !== 200) {
      answer.destroy();
      const final = statusCode >= 400 && statusCode < 500;
      throw new AgentError(
        'ImageDownloadError',
        final ? 400 : 500,
        'Error downloading image',
        `HTTP ${statusCode}`,
      );
    }
    for await (const part of answer) {
      const chunk = Buffer.from(part as Uint8Array);
      if (wrong && sizeBytes === 0 && chunk.length > 0) chunk[chunk.length - 1]! ^= 0xff;
      if (start.length < 512) start = Buffer.concat([start, chunk.subarray(0, 512)]);
      asked.update(chunk);
      sha256.update(chunk);
      sizeBytes += chunk.length;
      await written(chunk.length);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AgentError) throw error;
    throw new Unanswered('ImageDownloadError', 500, 'Error downloading image', (error as Error).message);
  }
  const partitioned = start[510] === 0x55 && start[511] === 0xaa;
  return { hash: asked.digest('hex'), digest: `sha256:${sha256.digest('hex')}`, sizeBytes, partitioned };
}

/** A config drive comes as an URL or as base64(gzip(iso)). */
async function configDrive(given: unknown, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (typeof given !== 'string' || given === '') return undefined;
  try {
    const base64 = /^https?:/.test(given) ? await (await request(given, { signal })).body.text() : given;
    return gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: MAX_CONFIG_DRIVE });
  } catch {
    throw new AgentError('InstanceDeployFailure', 500, 'Config drive could not be read', 'base64(gzip(iso))');
  }
}

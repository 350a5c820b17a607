import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from '../../../core/errors/failure.ts';

/** The beginning of the disk that an image holds; or what is wrong with it; or why it was not looked into. */
type Beginning = { readonly start: Uint8Array } | { readonly problem: string } | { readonly left: string };

/** All that it may take: it reads a few kilobytes. */
const BOUND_MS = 30_000;
const MOST_TOLD = 300;
const TOOL = 'qemu-img';

/**
 * Reads the beginning of the disk in a qcow2 image, by qemu-img of this host where there is one. The image has to be
 * one without a backing file and data of its own in other files: whoever calls this has looked at its header.
 */
export async function qcow2Beginning(url: string, bytes: number, signal: AbortSignal): Promise<Beginning> {
  // What lies behind http is not given to it: it asks with proxies and certificates of its own.
  if (/^https?:/i.test(url)) return { left: 'what is inside of qcow2 images behind http' };
  const path = /^file:/i.test(url) ? fileURLToPath(url) : url;
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-qcow2-'));
  try {
    const output = join(folder, 'beginning');
    const ended = await run(
      [
        'dd',
        '-U',
        '-f',
        'qcow2',
        '-O',
        'raw',
        'bs=4096',
        `count=${bytes / 4096}`,
        `if=${path}`,
        `of=${output}`,
      ],
      signal,
    );
    if (ended === 'missing') return { left: 'what is inside of qcow2 images, for this host has no qemu-img' };
    if (ended.code !== 0)
      return { problem: `cannot be read by qemu-img: ${ended.told.replaceAll(path, 'it')}` };
    return { start: await readFile(output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs qemu-img to its end. One that hangs or is killed has said nothing. */
function run(
  args: readonly string[],
  signal: AbortSignal,
): Promise<'missing' | { readonly code: number; readonly told: string }> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(BOUND_MS)]);
  return new Promise((resolve, reject) => {
    const child = spawn(TOOL, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: stop,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, MOST_TOLD)));
    child.once('error', (error) => {
      if ((error as { code?: unknown }).code === 'ENOENT') resolve('missing');
      else if (!stop.aborted) reject(error);
    });
    child.once('close', (code) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (code === null) reject(fail('CHECK_TIMEOUT', 'qemu-img did not come to its end.'));
      else resolve({ code, told: said.trim().replace(/^qemu-img: /, '') });
    });
  });
}

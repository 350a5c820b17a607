import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseParameters } from '../../../lab/agent.ts';
import type { IsoPeer } from './iso-peer.ts';

const PIECE = 256 * 1024;

/** Fetches media as a drive does, with HEAD and then by ranges, and takes the boot parameters from its bytes. */
export async function bootParameters(
  url: string,
  folder: string,
  iso: IsoPeer,
): Promise<Record<string, string>> {
  const file = join(folder, 'media.iso');
  writeFileSync(file, await fetchByRanges(url));
  const { label, bytes } = await iso.read(file, '/parameters.txt');
  if (label !== 'ir-vfd-dev') throw new Error(`an agent looks for ir-vfd-dev, and this is ${label}`);
  return parseParameters(bytes.toString());
}

async function fetchByRanges(url: string): Promise<Buffer> {
  const head = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(30_000) });
  const size = Number(head.headers.get('content-length'));
  if (head.status !== 200 || !(size > 0)) throw new Error(`HEAD of the media: ${head.status}, ${size} bytes`);
  if (head.headers.get('accept-ranges') !== 'bytes') throw new Error('HEAD of the media: no ranges');
  const etag = head.headers.get('etag');
  const pieces: Buffer[] = [];
  for (let at = 0; at < size; at += PIECE) {
    const last = Math.min(at + PIECE, size) - 1;
    const part = await fetch(url, {
      headers: { range: `bytes=${at}-${last}` },
      signal: AbortSignal.timeout(30_000),
    });
    const bytes = Buffer.from(await part.arrayBuffer());
    const right =
      part.status === 206 &&
      part.headers.get('content-range') === `bytes ${at}-${last}/${size}` &&
      part.headers.get('etag') === etag &&
      bytes.length === last - at + 1;
    if (!right) throw new Error(`bytes ${at}-${last} of the media: ${part.status}, ${bytes.length} bytes`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

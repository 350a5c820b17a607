import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { LAYOUT } from '../../core/agent/media-layout.ts';
import type { IsoFile } from '../../core/iso9660.ts';

/** What boots: the kernel, the ramdisk, the EFI system partition with its boot loader, and the menu. */
const BOOTED: readonly string[] = [LAYOUT.kernel, LAYOUT.ramdisk, LAYOUT.esp, LAYOUT.menu];

/** SHA-256 of what boots from an ISO, and of the files that are named beside, by their paths; of those that are there. */
export async function mediaParts(
  iso: string,
  files: readonly IsoFile[],
  { also = [], signal }: { readonly also?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<{ [path: string]: string }> {
  const parts: { [path: string]: string } = {};
  for (const { path, offset, size } of files) {
    if (!BOOTED.includes(path) && !also.includes(path)) continue;
    const hash = createHash('sha256');
    const range = { start: offset, end: offset + size - 1, ...(signal === undefined ? {} : { signal }) };
    if (size > 0) for await (const chunk of createReadStream(iso, range)) hash.update(chunk as Buffer);
    parts[path] = `sha256:${hash.digest('hex')}`;
  }
  return parts;
}

import { appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { iso9660 } from '../../core/iso9660.ts';
import type { MediaAccess } from '../../core/reachability/media-probe.ts';
import { hasCode, removeFile, replaceFile } from '../records/atomic-file.ts';
import { safeName } from '../records/safe-names.ts';

/** A small image that the BMC of a node is given to fetch, for the time of one look. */
export interface MediaProbe {
  readonly id: string;
  /** The stored version of the contract that says who may ask for it. */
  readonly contractHash: string;
}

/**
 * The probe images that are open, one for each node at most, and who asked for them. It is shared by the worker, which
 * opens and closes them, and the gateway, which gives them away and notes each request.
 */
export interface MediaProbes {
  /** Takes the place of an earlier one of the node. */
  open(node: string, probe: MediaProbe): Promise<void>;
  /** The probe of this id, if it is open, and its file. */
  find(node: string, id: string): Promise<(MediaProbe & { path: string; size: number }) | undefined>;
  /** Whether one of the node is open: it may be in a drive. */
  isOpen(node: string): Promise<boolean>;
  note(node: string, access: MediaAccess): Promise<void>;
  accesses(node: string): Promise<readonly MediaAccess[]>;
  close(node: string): Promise<void>;
}

const LABEL = 'RACKWRIGHT_PROBE';
/** Some BMCs look at more than the first sectors before they believe that there is a disc. */
const PADDING = 512 * 1024;
/** Of notes: more are left out. */
const MOST_BYTES = 64 * 1024;

export function fileMediaProbes(folder: string): MediaProbes {
  const path = (node: string, ending: string): string => join(folder, `${safeName(node)}.${ending}`);
  const text = (file: string): Promise<string | undefined> =>
    readFile(file, 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
  const close = async (node: string): Promise<void> => {
    for (const ending of ['json', 'iso', 'jsonl']) await removeFile(path(node, ending));
  };
  return {
    async open(node, probe) {
      await close(node);
      const files = [
        {
          path: 'README.TXT',
          bytes: Buffer.from(`Rackwright looks whether ${node} reaches it: ${probe.id}\n`),
        },
        { path: 'PADDING.BIN', bytes: new Uint8Array(PADDING) },
      ];
      await replaceFile(path(node, 'iso'), iso9660({ label: LABEL, files }));
      await replaceFile(path(node, 'json'), JSON.stringify(probe));
    },
    async find(node, id) {
      const kept = await text(path(node, 'json'));
      const probe = kept === undefined ? undefined : (JSON.parse(kept) as MediaProbe);
      if (probe?.id !== id) return undefined;
      const file = path(node, 'iso');
      const { size } = await stat(file);
      return { ...probe, path: file, size };
    },
    isOpen: async (node) => (await text(path(node, 'json'))) !== undefined,
    async note(node, access) {
      const file = path(node, 'jsonl');
      const { size } = await stat(file).catch(() => ({ size: 0 }));
      if (size < MOST_BYTES) await appendFile(file, `${JSON.stringify(access)}\n`, { mode: 0o600 });
    },
    async accesses(node) {
      const lines = ((await text(path(node, 'jsonl'))) ?? '').split('\n');
      return lines.slice(0, -1).map((line) => JSON.parse(line) as MediaAccess);
    },
    close,
  };
}

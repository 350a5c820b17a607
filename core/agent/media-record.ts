import type { MediaArchitecture } from './media-layout.ts';

/** What `media build` writes beside an ISO: what it is, and what it was made of. */
export interface MediaRecord {
  /** SHA-256 of the whole ISO. */
  readonly checksum: string;
  readonly size: number;
  readonly architecture: MediaArchitecture;
  readonly append: string;
  /** SHA-256 of the kernel, the ramdisk, the EFI system partition and the menu, by their paths in the ISO. */
  readonly files: { readonly [path: string]: string };
}

/** Where the record of an ISO lies. */
export const mediaRecordPath = (iso: string): string => `${iso}.json`;

export const mediaRecordText = (record: MediaRecord): string => `${JSON.stringify(record, null, 2)}\n`;

const isChecksum = (value: unknown): value is string =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);

/** Reads a record; undefined for anything that is none. */
export function parseMediaRecord(text: string): MediaRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { checksum, size, architecture, append, files } = value as Record<string, unknown>;
  if (!isChecksum(checksum) || typeof size !== 'number' || typeof append !== 'string') return undefined;
  if (architecture !== 'x86_64' && architecture !== 'aarch64') return undefined;
  if (typeof files !== 'object' || files === null || !Object.values(files).every(isChecksum))
    return undefined;
  return { checksum, size, architecture, append, files: files as MediaRecord['files'] };
}

/** An ISO as it is now, and what is recorded of it. */
export interface MediaSeen {
  readonly path: string;
  readonly architecture: MediaArchitecture | undefined;
  readonly checksum: string;
  readonly files: MediaRecord['files'];
  /** `media.checksum` of the contract. */
  readonly contract: string | undefined;
  /** The record beside it; `damaged` where that is none. */
  readonly record: MediaRecord | 'damaged' | undefined;
}

interface Wrong {
  readonly message: string;
  readonly correction: string;
}

/** What is not as it was recorded, the worst first; empty where all is. */
export function mediaProblems(seen: MediaSeen): Wrong[] {
  const { path, checksum, contract, record, architecture } = seen;
  const at = mediaRecordPath(path);
  if (record === 'damaged') {
    return [
      { message: `${at} is no record of a build.`, correction: `Remove ${at}, or build ${path} again.` },
    ];
  }
  if (contract === undefined && record === undefined) {
    return [
      {
        message: `Nothing is recorded of ${path}: the contract has no \`media.checksum\`, and ${at} is not there.`,
        correction: `Build it with \`rackwright media build\`, or write \`checksum: ${checksum}\` beside \`media.iso\` once it is known where these bytes come from.`,
      },
    ];
  }
  const found: Wrong[] = [];
  if (contract !== undefined && contract !== checksum) {
    found.push({
      message: `${path} has ${checksum}, and the contract ${contract}.${changedParts(seen)}`,
      correction: `Restore ${path}: the same kernel, ramdisk, parameters and tools give the same bytes. If the new ISO is wanted, correct \`media.checksum\`.`,
    });
  }
  if (record === undefined) return found;
  if (record.checksum !== checksum && found.length === 0) {
    found.push({
      message: `${path} has ${checksum}, and the record of its build ${record.checksum}.${changedParts(seen)}`,
      correction: `Build ${path} again; if it is an ISO of your own, remove ${at} and write its \`checksum\` into the contract.`,
    });
  }
  if (architecture !== undefined && record.architecture !== architecture) {
    found.push({
      message: `${path} was built for ${record.architecture}, and the contract has it for ${architecture}.`,
      correction: `Put it under \`${record.architecture}\` in \`media.iso\`, and another under \`${architecture}\`.`,
    });
  }
  return found;
}

/** Which of the parts that were recorded are others now. */
function changedParts({ record, files }: MediaSeen): string {
  if (record === undefined || record === 'damaged') return '';
  const changed = Object.entries(record.files).filter(([path, checksum]) => files[path] !== checksum);
  return changed.length === 0
    ? ' The parts that were recorded are as they were.'
    : ` Others than were recorded: ${changed.map(([path]) => `/${path}`).join(', ')}.`;
}

/** What is known of one promotion of an image: the bytes that were verified, and who wanted them, when and why. */
export interface ImageVersion {
  /** From 1; never used again. */
  readonly version: number;
  /** Where the contract had it when it was promoted. */
  readonly source: string;
  /** Whether deployments read a copy in the data directory; else they read the source. */
  readonly kept: boolean;
  readonly checksum: string;
  readonly size: number;
  readonly format: 'raw' | 'qcow2';
  readonly architecture?: 'x86_64' | 'aarch64';
  readonly bootMode?: 'uefi' | 'bios';
  readonly at: string;
  readonly by: string;
  readonly reason: string | null;
}

/** A change of what is current. */
export interface ImageChange {
  readonly action: 'promote' | 'rollback';
  readonly from: number | null;
  readonly to: number;
  readonly at: string;
  readonly by: string;
  readonly reason: string | null;
}

/** Everything that is known of an image's promotions; stored as node records are. */
export interface ImageRecord {
  readonly site: string;
  /** The name of the image, under the word that the store knows. */
  readonly node: string;
  readonly generation: number;
  readonly versions: readonly ImageVersion[];
  /** What was current, oldest first. The last one is; a rollback takes it away. */
  readonly lineage: readonly number[];
  readonly changes: readonly ImageChange[];
}

/** Who asks for a change, when and why. */
export type Asked = Pick<ImageChange, 'at' | 'by' | 'reason'>;

/** Changes that are remembered; versions all are. */
const KEPT_CHANGES = 200;

export const newImageRecord = (site: string, name: string): ImageRecord => ({
  site,
  node: name,
  generation: 0,
  versions: [],
  lineage: [],
  changes: [],
});

/** The version that deployments take; undefined before the first promotion. */
export const currentVersion = (record: ImageRecord): ImageVersion | undefined =>
  record.versions.find(({ version }) => version === record.lineage.at(-1));

/** What makes two promotions the same one. */
const bytesOf = (each: Omit<ImageVersion, 'version'>): string => {
  const { checksum, format, kept, source, architecture, bootMode } = each;
  return JSON.stringify([checksum, format, kept || source, architecture ?? null, bootMode ?? null]);
};

/**
 * The record with these bytes in it, not current yet. A version that is current, or was recorded last and never
 * became current, is found again instead of being recorded twice.
 */
export function recorded(
  record: ImageRecord,
  verified: Omit<ImageVersion, 'version'>,
): { readonly record: ImageRecord; readonly version: number } {
  const last = record.versions.at(-1);
  const again = [currentVersion(record), last && !record.lineage.includes(last.version) ? last : undefined];
  const known = again.find((each) => each !== undefined && bytesOf(each) === bytesOf(verified));
  if (known) return { record, version: known.version };
  const version = (last?.version ?? 0) + 1;
  return { record: next(record, { versions: [...record.versions, { version, ...verified }] }), version };
}

/** The record with this version current; unchanged if it is. */
export function promoted(record: ImageRecord, version: number, asked: Asked): ImageRecord {
  if (record.lineage.at(-1) === version) return record;
  return changed(record, 'promote', [...record.lineage, version], asked);
}

/** The version that a rollback would go to: the one that was current before, or the one asked for. */
export function rollbackTarget(record: ImageRecord, to?: number): ImageVersion | undefined {
  const wanted = to ?? record.lineage.at(-2);
  return record.versions.find(({ version }) => version === wanted);
}

/** The record as it was when this version was current; one that an earlier rollback left is taken up again. */
export function rolledBack(record: ImageRecord, to: number, asked: Asked): ImageRecord {
  const at = record.lineage.lastIndexOf(to);
  const lineage = at < 0 ? [...record.lineage, to] : record.lineage.slice(0, at + 1);
  return changed(record, 'rollback', lineage, asked);
}

/** The contract's image with the bytes of a version, read at this URL: what an operation is to write. */
export function asPromoted<I extends { readonly name: string; readonly description?: string | undefined }>(
  { name, description }: I,
  { checksum, size, format, architecture, bootMode }: ImageVersion,
  url: string,
) {
  return {
    name,
    url,
    checksum,
    size,
    format,
    ...(architecture === undefined ? {} : { architecture }),
    ...(bootMode === undefined ? {} : { bootMode }),
    ...(description === undefined ? {} : { description }),
  };
}

const next = (record: ImageRecord, over: Partial<ImageRecord>): ImageRecord => ({
  ...record,
  ...over,
  generation: record.generation + 1,
});

function changed(
  record: ImageRecord,
  action: ImageChange['action'],
  lineage: readonly number[],
  asked: Asked,
): ImageRecord {
  const change = { action, from: record.lineage.at(-1) ?? null, to: lineage.at(-1)!, ...asked };
  return next(record, { lineage, changes: [...record.changes, change].slice(-KEPT_CHANGES) });
}

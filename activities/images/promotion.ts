import type { Image } from '../../contracts/inventory/supply.ts';
import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import { imageProblem } from '../../core/image-format.ts';
import {
  currentVersion,
  newImageRecord,
  promoted,
  recorded,
  rollbackTarget,
  rolledBack,
  type Asked,
  type ImageRecord,
  type ImageVersion,
} from '../../core/images.ts';
import { imageFile } from '../agent/image-source.ts';
import type { RecordStore } from '../records/record-store.ts';
import { keepImage, placeOf, readImage, type ImageRead } from './image-bytes.ts';

/** Where promotions of a site are kept: the records, and copies of the bytes. */
export interface ImageStore {
  readonly site: string;
  readonly records: RecordStore<ImageRecord>;
  readonly files: string;
}

/** What came of a promotion or a rollback. */
export interface ImageChanged {
  readonly record: ImageRecord;
  readonly version: ImageVersion;
  /** False: it was current before. */
  readonly changed: boolean;
}

/**
 * Makes the image of the contract the one that deployments take: reads it whole, compares it with the contract's
 * checksum and format, records it, and only then makes it current. A file is copied; what lies behind http is
 * only if that is wanted. Throws IMAGE_CHECKSUM_MISMATCH, IMAGE_UNSUITABLE, IMAGE_SOURCE_UNREACHABLE,
 * IMAGE_NOT_KEPT, GENERATION_CONFLICT; then what was current still is.
 */
export async function promoteImage(
  store: ImageStore,
  image: Image,
  asked: Asked & { readonly keep?: boolean },
): Promise<ImageChanged> {
  const { at, by, reason } = asked;
  const kept = asked.keep === true || (await imageFile(image)) !== undefined;
  const judge = (read: ImageRead): void => judged(image, read);
  const read = kept ? await keepImage(image, store.files, judge) : await readImage(image);
  judge(read);
  const { checksum, size } = read;
  const { name, url: source, format, architecture, bootMode } = image;
  const before = (await store.records.read(store.site, name)) ?? newImageRecord(store.site, name);
  const known = recorded(before, {
    source,
    kept,
    checksum,
    size,
    format,
    ...(architecture === undefined ? {} : { architecture }),
    ...(bootMode === undefined ? {} : { bootMode }),
    at,
    by,
    reason,
  });
  await write(store, before, known.record);
  const record = promoted(known.record, known.version, { at, by, reason });
  await write(store, known.record, record);
  return { record, version: currentVersion(record)!, changed: record !== known.record };
}

/**
 * Makes exactly the version current that was before, or the one that is named, once its bytes were read again and
 * are the same. Throws IMAGE_VERSION_UNKNOWN, IMAGE_CHECKSUM_MISMATCH, IMAGE_SOURCE_UNREACHABLE,
 * GENERATION_CONFLICT; then what was current still is.
 */
export async function rollbackImage(
  store: ImageStore,
  name: string,
  asked: Asked & { readonly to?: number | undefined },
): Promise<ImageChanged> {
  const before = (await store.records.read(store.site, name)) ?? newImageRecord(store.site, name);
  const version = rollbackTarget(before, asked.to);
  if (version === undefined) throw unknown(before, asked.to);
  const { at, by, reason } = asked;
  const url = placeOf(version, store.files);
  if (version.version === currentVersion(before)?.version) return { record: before, version, changed: false };
  const { checksum } = await readImage({ name, url });
  if (checksum !== version.checksum) {
    const message = `Version ${version.version} of ${name} was ${version.checksum}; ${url} now has ${checksum}.`;
    throw fail('IMAGE_CHECKSUM_MISMATCH', message, {
      correction:
        'Restore these bytes at their place, or promote an image that has them. Nothing was changed.',
    });
  }
  const record = rolledBack(before, version.version, { at, by, reason });
  await write(store, before, record);
  return { record, version, changed: true };
}

function judged(image: Image, { checksum, size, head }: ImageRead): void {
  if (checksum !== image.checksum) {
    throw fail(
      'IMAGE_CHECKSUM_MISMATCH',
      `Image ${image.name} has ${checksum} at its source, and ${image.checksum} in the contract.`,
      {
        correction:
          'Restore the image at its source, or correct `checksum` in the contract. Nothing was changed.',
      },
    );
  }
  const wrong =
    image.size !== undefined && image.size !== size
      ? `has ${size} bytes, and ${image.size} in the contract`
      : imageProblem(image.format, head);
  if (wrong !== undefined) throw fail('IMAGE_UNSUITABLE', `Image ${image.name} ${wrong}.`);
}

function unknown({ node: name, versions }: ImageRecord, to: number | undefined): RackwrightError {
  const message =
    versions.length === 0
      ? `Image ${name} was never promoted.`
      : to === undefined
        ? `Image ${name} has no version before the current one.`
        : `Image ${name} has no version ${to}; it has 1 to ${versions.length}.`;
  return fail('IMAGE_VERSION_UNKNOWN', message);
}

async function write({ records }: ImageStore, before: ImageRecord, after: ImageRecord): Promise<void> {
  if (after === before) return;
  if ((await records.write(after, before.generation)) === 'written') return;
  throw fail('GENERATION_CONFLICT', `Someone else changed image ${after.node} at the same time.`, {
    correction: 'Look at `rackwright image list`, and ask again.',
  });
}

import { readFile } from 'node:fs/promises';
import { openDataDir } from '../../activities/datadir.ts';
import type { BlobRequest, PutBlob } from '../../activities/secrets/blob-store.ts';
import { fail } from '../../core/errors/failure.ts';

const MAX_BYTES = 64 * 1024;

/** A secret input of a request, sealed in the data directory. */
export interface Sealed extends PutBlob {
  /** Deletes it, when nothing can use it any more. */
  discard(): Promise<void>;
}

/** Seals a file in the encrypted store of the data directory; only the reference travels. */
export async function sealFile(dataDir: string, path: string, request: BlobRequest): Promise<Sealed> {
  const [{ fileBlobStore }, { siteKey }] = await Promise.all([
    import('../../activities/secrets/blob-store.ts'),
    import('../../activities/secrets/site-key.ts'),
  ]);
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw fail('INVALID_MESSAGE', `user-data: ${path} cannot be read.`, {}, { cause });
  });
  if (bytes.length > MAX_BYTES) {
    throw fail('INVALID_MESSAGE', `user-data: ${path} is larger than ${MAX_BYTES / 1024} KiB.`);
  }
  const dir = openDataDir(dataDir);
  const blobs = fileBlobStore(dir.blobs, await siteKey(dir.siteKey));
  const put = await blobs.put(bytes, request);
  return { ...put, discard: () => blobs.delete(put.reference) };
}

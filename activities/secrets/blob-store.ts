import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../core/errors/failure.ts';
import { createFile, hasCode, namesIn, removeFile, sweepLeftovers } from '../records/atomic-file.ts';
import { deriveKey } from './site-key.ts';

const CIPHER = 'aes-256-gcm';
const MAGIC = Buffer.from('RWB1');
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = MAGIC.length + NONCE_BYTES + TAG_BYTES;

/** Secret inputs of requests (user data, a rescue password), sealed on disk and passed by reference. */
export interface BlobStore {
  /**
   * Seals the bytes of a request. The same bytes of the same request have the same reference, so that its
   * repetition is the same request; without the site key nothing can be told from it.
   */
  put(bytes: Uint8Array, request: BlobRequest): Promise<PutBlob>;
  /** Throws BLOB_UNKNOWN if it was deleted, STORE_CORRUPT if it is not what was sealed. */
  get(reference: string): Promise<Buffer>;
  /** Deletes; that it is gone already is fine. */
  delete(reference: string): Promise<void>;
  /**
   * Deletes what was last put before a time (in milliseconds) and is not in use, and what killed writers left.
   * @returns how many blobs were deleted
   */
  sweep(before: number, inUse: () => Promise<ReadonlySet<string>>): Promise<number>;
}

/** Which request a blob belongs to. */
export interface BlobRequest {
  readonly site: string;
  readonly node: string;
  readonly requestId: string;
}

export interface PutBlob {
  /** `blob:<id>` */
  readonly reference: string;
  /** False if it was there already, for the very same request. */
  readonly isNew: boolean;
}

/** How many blobs one sweep deletes at most. */
const SWEPT_AT_ONCE = 1000;

function idOf(reference: string): string {
  const id = /^blob:([0-9a-f]{32})$/.exec(reference)?.[1];
  if (id === undefined) {
    throw fail('STORE_NAME_INVALID', 'This is not a reference to a blob (blob: and 32 hexadecimal digits).');
  }
  return id;
}

function seal(key: Buffer, id: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(id));
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([MAGIC, nonce, cipher.getAuthTag(), body]);
}

function unseal(key: Buffer, id: string, sealed: Buffer): Buffer {
  try {
    if (!sealed.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('not a sealed blob');
    const nonce = sealed.subarray(MAGIC.length, MAGIC.length + NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(id));
    decipher.setAuthTag(sealed.subarray(MAGIC.length + NONCE_BYTES, HEAD_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]);
  } catch (cause) {
    throw fail('STORE_CORRUPT', `Blob ${id} was changed, or sealed with another site key.`, {}, { cause });
  }
}

/** Blobs as files of mode 0600, each sealed under its own id with a key derived from the site's. */
export function fileBlobStore(folder: string, siteKey: Uint8Array): BlobStore {
  const key = deriveKey(siteKey, 'blobs');
  const idKey = deriveKey(siteKey, 'blob-ids');
  const putAt = (id: string): Promise<number> =>
    stat(join(folder, id)).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
  /** Begins its time anew; false if it is gone. */
  const touch = (path: string, now: Date): Promise<boolean> =>
    utimes(path, now, now).then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, 'ENOENT')) return false;
        throw error;
      },
    );
  return {
    async put(bytes, { site, node, requestId }) {
      const of = JSON.stringify([site, node, requestId]);
      const id = createHmac('sha256', idKey).update(`${of}\n`).update(bytes).digest('hex').slice(0, 32);
      const path = join(folder, id);
      for (;;) {
        if (await createFile(path, seal(key, id, bytes))) return { reference: `blob:${id}`, isNew: true };
        if (await touch(path, new Date())) return { reference: `blob:${id}`, isNew: false };
      }
    },
    async get(reference) {
      const id = idOf(reference);
      const sealed = await readFile(join(folder, id)).catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT')) throw error;
        throw fail('BLOB_UNKNOWN', `Blob ${id} is not stored here.`);
      });
      return unseal(key, id, sealed);
    },
    async delete(reference) {
      await removeFile(join(folder, idOf(reference)));
    },
    async sweep(before, inUse) {
      await sweepLeftovers(folder).catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT')) throw error;
      });
      const ids = (await namesIn(folder)).filter((name) => /^[0-9a-f]{32}$/.test(name));
      const old: string[] = [];
      for (const id of ids) if ((await putAt(id)) < before) old.push(id);
      if (old.length === 0) return 0;
      const used = await inUse();
      let deleted = 0;
      for (const id of old.filter((each) => !used.has(`blob:${each}`)).slice(0, SWEPT_AT_ONCE)) {
        // It may have been put again meanwhile.
        if ((await putAt(id)) >= before) continue;
        await removeFile(join(folder, id));
        deleted += 1;
      }
      return deleted;
    },
  };
}

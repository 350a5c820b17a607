import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../core/errors/failure.ts';
import { createFile, hasCode, removeFile } from '../records/atomic-file.ts';
import { deriveKey } from './site-key.ts';

const CIPHER = 'aes-256-gcm';
const MAGIC = Buffer.from('RWB1');
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = MAGIC.length + NONCE_BYTES + TAG_BYTES;

/** Secret inputs of requests (user data, a rescue password), sealed on disk and passed by reference. */
export interface BlobStore {
  /** Seals the bytes. @returns `blob:<id>` */
  put(bytes: Uint8Array): Promise<string>;
  /** Throws BLOB_UNKNOWN if it was deleted, STORE_CORRUPT if it is not what was sealed. */
  get(reference: string): Promise<Buffer>;
  /** Deletes; that it is gone already is fine. */
  delete(reference: string): Promise<void>;
}

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
  return {
    async put(bytes) {
      const id = randomBytes(16).toString('hex');
      await createFile(join(folder, id), seal(key, id, bytes));
      return `blob:${id}`;
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
  };
}

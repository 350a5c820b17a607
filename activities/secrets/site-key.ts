import { hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fail } from '../../core/errors/failure.ts';
import { createFile, hasCode } from '../records/atomic-file.ts';
import { resolveSecret, type ResolveOptions } from './resolve.ts';

const KEY_BYTES = 32;

function decodeKey(text: string, from: string): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-fA-F]{64}$/.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, 'base64')
      : undefined;
  if (key?.length === KEY_BYTES) return key;
  throw fail('SITE_KEY_INVALID', `The site key in ${from} is not 32 bytes in hexadecimal or base64.`);
}

/**
 * The key of the site: from the reference in RACKWRIGHT_SITE_KEY if that is set, else from the file,
 * which is made at the first use. Of several processes that make it at once, all get the same one.
 */
export async function siteKey(file: string, options: ResolveOptions = {}): Promise<Buffer> {
  const reference = (options.env ?? process.env)['RACKWRIGHT_SITE_KEY'];
  if (reference !== undefined && reference !== '') {
    return decodeKey(await resolveSecret(reference, options), 'RACKWRIGHT_SITE_KEY');
  }
  const read = () => readFile(file, 'utf8');
  const text = await read().catch(async (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    await createFile(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
    return read();
  });
  return decodeKey(text, file);
}

/** A key for one purpose, from which neither the site key nor another purpose's key can be told. */
export const deriveKey = (key: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, new Uint8Array(0), `rackwright/${purpose}`, KEY_BYTES));

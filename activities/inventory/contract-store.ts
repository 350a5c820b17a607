import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { fail } from '../../core/errors/failure.ts';
import { createFile, hasCode, replaceFile } from '../records/atomic-file.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The hash that a version of the contract is known by: SHA-256 of its canonical JSON, in hexadecimal. */
export const contractHash = (inventory: Inventory): string => sha256(canonicalJson(inventory));

function fileOf(folder: string, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    throw fail('STORE_NAME_INVALID', 'A hash of a contract is 64 hexadecimal digits.');
  }
  return join(folder, `${hash}.json`);
}

/** Keeps a version of the contract, its secrets as references; mends a stored one that was changed. @returns its hash */
export async function storeContract(folder: string, inventory: Inventory): Promise<string> {
  const text = canonicalJson(inventory);
  const hash = sha256(text);
  const file = fileOf(folder, hash);
  const created = await createFile(file, text);
  if (!created && (await readFile(file, 'utf8')) !== text) await replaceFile(file, text);
  return hash;
}

/** The version of the contract with this hash. Throws CONTRACT_NOT_STORED or STORE_CORRUPT. */
export async function loadContract(folder: string, hash: string): Promise<Inventory> {
  const file = fileOf(folder, hash);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw fail('CONTRACT_NOT_STORED', `No contract ${hash.slice(0, 12)}… is stored here.`);
  });
  if (sha256(text) !== hash) throw fail('STORE_CORRUPT', `The stored contract ${file} was changed.`);
  return JSON.parse(text) as Inventory;
}

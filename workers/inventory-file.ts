import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { requireInventory } from '../activities/inventory/load.ts';
import type { Inventory } from '../contracts/inventory/inventory.ts';
import { fail } from '../core/errors/failure.ts';

/** The contract as its file stands now; read again only when the file has changed. */
export class InventoryFile {
  readonly #path: string;
  readonly #allowExec: boolean;
  #seen = '';
  #site: string | undefined;
  #loaded: Promise<Inventory> | undefined;

  constructor(path: string, allowExec: boolean) {
    this.#path = path;
    this.#allowExec = allowExec;
  }

  /** Throws CONTRACT_INVALID. */
  async load(): Promise<Inventory> {
    const stamp = await stampOf(this.#path);
    if (this.#loaded === undefined || stamp !== this.#seen) {
      this.#seen = stamp;
      this.#loaded = requireInventory(this.#path, { allowExec: this.#allowExec });
      // A file that is wrong is looked at again, also when what was wrong is another file it names.
      this.#loaded.catch(() => (this.#seen = ''));
    }
    const inventory = await this.#loaded;
    this.#site ??= inventory.site;
    if (inventory.site === this.#site) return inventory;
    throw fail(
      'CONTRACT_INVALID',
      `The inventory is now of site ${inventory.site}; this process was started for ${this.#site}.`,
    );
  }
}

/** Changes whenever a file of the inventory does; empty if there is none. */
async function stampOf(path: string): Promise<string> {
  const stamp = async (file: string): Promise<string> => {
    const { mtimeMs, size, ino } = await stat(file);
    return `${file}:${mtimeMs}:${size}:${ino}`;
  };
  try {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder ? (await readdir(path)).sort().map((name) => join(path, name)) : [path];
    return (await Promise.all(files.map(stamp))).join('\n');
  } catch {
    return '';
  }
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { describe } from 'vitest';

/**
 * Where the payloads of real machines lie: the folder of `RACKWRIGHT_CAPTURES`, with `redfish-captures/` and
 * `redfish-mockups/` in it. They are no part of the repository.
 */
const named = process.env['RACKWRIGHT_CAPTURES'];
const root = resolve(new URL('../../../..', import.meta.url).pathname);
const folder = named === undefined || named === '' ? undefined : resolve(root, named);

for (const part of folder === undefined ? [] : ['redfish-captures', 'redfish-mockups']) {
  if (existsSync(join(folder!, part))) continue;
  throw new Error(`RACKWRIGHT_CAPTURES is ${named}, and there is no ${join(folder!, part)}`);
}

/** A `describe` of what needs the payloads: skipped, with the reason in its title, where they are not. */
export const describeCaptures = (title: string, body: () => void): void => {
  if (folder !== undefined) describe(title, body);
  else describe.skip(`${title} (skipped: RACKWRIGHT_CAPTURES does not name the captured payloads)`, body);
};

/** Bodies by path, without a trailing slash. */
export type Tree = ReadonlyMap<string, unknown>;

/** Every `index.json` below a folder of the payloads, by the path that it is served at. */
export function treeOf(name: string, prefix = ''): Tree {
  const base = join(folder!, name);
  const files = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file === 'index.json' || file.endsWith(`${sep}index.json`),
  );
  const pathOf = (file: string): string =>
    [prefix, ...file.split(sep).slice(0, -1)].filter((part) => part !== '').join('/');
  return new Map(
    files.map((file) => [`/${pathOf(file)}`, JSON.parse(readFileSync(join(base, file), 'utf8')) as unknown]),
  );
}

/** A tree of a real machine. */
export const capture = (name: string): Tree => treeOf(`redfish-captures/${name}`);

/** A mockup of the DMTF, whose folders begin below `/redfish/v1`. */
export const mockup = (name: string): Tree => treeOf(`redfish-mockups/${name}`, 'redfish/v1');

/** Every JSON file of the captures, also those that are no tree. */
export function allBodies(): { readonly name: string; readonly body: unknown }[] {
  return ['redfish-captures', 'redfish-mockups'].flatMap((top) =>
    readdirSync(join(folder!, top), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .toSorted()
      .map((file) => ({
        name: join(top, file),
        body: JSON.parse(readFileSync(join(folder!, top, file), 'utf8')) as unknown,
      })),
  );
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../core/canonical-json.ts';
import { asKept, type KeptInspections } from '../../core/redfish/kept.ts';
import { hasCode, replaceFile } from '../records/atomic-file.ts';
import { safeName } from '../records/safe-names.ts';

/** Keeps what the inspections of a node saw, for the next one to compare with. */
export interface InspectionStore {
  /** Undefined if there is nothing, or it can be understood no more: then the next inspection is the first. */
  read(site: string, node: string): Promise<KeptInspections | undefined>;
  /** Replaces it as a whole. */
  write(site: string, node: string, kept: KeptInspections): Promise<void>;
}

/** One file for each node: `<root>/<site>/<node>.json`. */
export function fileInspectionStore(root: string): InspectionStore {
  const fileOf = (site: string, node: string): string => join(root, safeName(site), `${safeName(node)}.json`);
  return {
    async read(site, node) {
      try {
        return asKept(JSON.parse(await readFile(fileOf(site, node), 'utf8')));
      } catch (error) {
        if (error instanceof SyntaxError || hasCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    async write(site, node, kept) {
      await replaceFile(fileOf(site, node), `${canonicalJson(kept)}\n`);
    },
  };
}

import { field, items, text } from './read.ts';

/** The versions that the root of a service lists, as it names them; undefined where it lists none. */
export function readVersions(body: unknown): readonly string[] | undefined {
  // Keystone wraps the list once more; Ironic has it in `versions`, too.
  const listed = field(body, 'versions');
  const versions = items(Array.isArray(listed) ? listed : field(listed, 'values'));
  const ids = versions.map((each) => text(field(each, 'id'))).filter((id) => id !== '');
  return ids.length === 0 ? undefined : ids;
}

/** The version that Ironic is asked in as a service of a cloud. */
export const BARE_METAL_VERSION = '1.58';

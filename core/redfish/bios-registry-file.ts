import { asList, asObject, asText, at, linkOf } from './read.ts';

export type NameMatch = 'exact' | 'family';

const family = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\.json$/, '')
    .replace(/[._-]?v?\d+([._-]\d+)+$/, '');

/** Whether a registry file is the one that a BIOS names: by its name, or but for the version; null if not. */
export function registryAnswersTo(file: unknown, name: string): NameMatch | null {
  const names = [at(file, 'Registry'), at(file, 'Id')].map(asText).filter((each) => each !== null);
  const wanted = name.toLowerCase();
  if (names.some((each) => each.toLowerCase().replace(/\.json$/, '') === wanted)) return 'exact';
  return names.some((each) => family(each) === family(name)) ? 'family' : null;
}

/** Where the registry of a file is to be read on the BMC itself: in English where there is a choice. */
export function registryUris(file: unknown): string[] {
  const places = asList(at(file, 'Location')).map((raw) => {
    const uri = asObject(raw)['Uri'];
    const language = asText(asObject(raw)['Language'])?.toLowerCase() ?? '';
    return {
      uri: linkOf(uri) ?? asText(asObject(uri)['extref']),
      rank: /^(en|default)/.test(language) ? 0 : 1,
    };
  });
  const found = places.toSorted((a, b) => a.rank - b.rank).map(({ uri }) => uri);
  return [...new Set(found.filter((uri): uri is string => uri !== null))];
}

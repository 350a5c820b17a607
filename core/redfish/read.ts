/** An object as a BMC sent it: any field may be missing or have another type than the schema says. */
export type Loose = { readonly [key: string]: unknown };

/** The value as an object; an empty one if it is none. */
export const asObject = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};

/** The value as a list; an empty one if it is none. An object instead of a list counts as its one element. */
export const asList = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value as unknown[];
  return typeof value === 'object' && value !== null ? [value] : [];
};

const BLANK = new Set([
  '',
  'n/a',
  'na',
  'none',
  'null',
  'unknown',
  'undefined',
  'unspecified',
  'not available',
  'not applicable',
  'not specified',
  'not enumerated',
  'not present',
  'no dimm',
  // What a firmware holds until the maker of the machine has written its own.
  'to be filled by o.e.m.',
  'to be filled by oem',
  'default string',
  'system manufacturer',
  'system product name',
  'system serial number',
  'chassis serial number',
]);

/** A trimmed text; null if it is none, empty, or a vendor's word for "I do not know". */
export function asText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return BLANK.has(text.toLowerCase()) ? null : text;
}

/** What names a part: a text that is cut where it is longer than any name, since it is kept. */
export const asName = (value: unknown): string | null => asText(value)?.slice(0, 255) ?? null;

/** A finite number, also from a text such as "16"; null for "N/A" and its like. */
export function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*-?\d+(\.\d+)?\s*$/.test(value)) return null;
  return Number(value);
}

/** A number above zero: zero is what some BMCs say of what they do not know. */
export function asPositive(value: unknown): number | null {
  const number = asNumber(value);
  return number !== null && number > 0 ? number : null;
}

/** A part of a hundred; null for 255, -1 and other words for "no reading". */
export function asPercent(value: unknown): number | null {
  const number = asNumber(value);
  return number !== null && number >= 0 && number <= 100 ? number : null;
}

/** A boolean, also from the texts "true" and "false"; null if it is none. */
export function asBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  const text = value.trim().toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
}

/** Follows a path of field names; undefined where one is missing. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((v, key) => asObject(v)[key], value);

/** The `@odata.id` of a link; null if it has none. Also a bare text that is a path, as some BMCs send. */
export function linkOf(value: unknown): string | null {
  const id = typeof value === 'string' ? value : asObject(value)['@odata.id'];
  return typeof id === 'string' && id.trim() !== '' ? id.trim() : null;
}

/** The links of a list, without those that are none, each once. */
export const linksOf = (value: unknown): string[] => [
  ...new Set(
    asList(value)
      .map(linkOf)
      .filter((l): l is string => l !== null),
  ),
];

/** The texts of a list. */
export const textsOf = (value: unknown): string[] =>
  asList(typeof value === 'string' ? [value] : value)
    .map(asText)
    .filter((t): t is string => t !== null);

/** A URI without trailing slashes. */
export function bareUri(uri: string): string {
  let end = uri.length;
  while (end > 0 && uri[end - 1] === '/') end -= 1;
  return uri.slice(0, end);
}

/** Whether two URIs are the same but for trailing slashes. */
export const sameUri = (a: string, b: string): boolean => bareUri(a) === bareUri(b);

import { firstWords } from '../whole-words.ts';

/** Readers of JSON that a device or a guest sent: any field may be missing or of another type. */

type Loose = { readonly [key: string]: unknown };

/** The value as an object; an empty one if it is none. */
export const objectOf = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};

/** The value as a list of objects, at most 1024; an empty one if it is none. */
export const objectsOf = (value: unknown): Loose[] =>
  Array.isArray(value) ? value.slice(0, 1024).map(objectOf) : [];

/** A trimmed text of at most 1024 characters; null if it is none or empty. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.trim() === '') return null;
  return value.trim().slice(0, 1024);
}

/** A finite number that is not negative; null if it is none. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** A MAC address in lower case with colons; null if it is none. */
export function macOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const mac = value.trim().toLowerCase().replaceAll('-', ':');
  return /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac) ? mac : null;
}

/** A text in which the token of every URL of the gateway is cut out: what agents say of a URL may be told. */
export const withoutTokens = (text: string): string =>
  text.replace(/\/(agent|media|images|firstboot)\/[^/\s"'?#]+/gi, '/$1/…');

/** Long runs of what base64 is made of, also percent-encoded or escaped. */
const RUN = /[A-Za-z0-9+/_%\\-]{40,}={0,2}/g;
const MIXED = /[a-z].*[A-Z]|[A-Z].*[a-z]/;

/**
 * What an agent says, for people: without tokens, and without long runs that may be a token or a config
 * drive, which an agent that quotes its command repeats. It is masked first and cut then. Null if it says
 * nothing.
 */
export function toldOf(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return textOf(value);
  const masked = withoutTokens(value).replace(RUN, (run) => (MIXED.test(run) ? '…' : run));
  return textOf(firstWords(masked, most));
}

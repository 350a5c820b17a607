import type { BiosValue } from '../service-work.ts';
import { quoted } from './comparison.ts';
import { asBoolean, asNumber } from './read.ts';
import type { BiosType } from './bios-registry.ts';

/** What a BIOS may hold of an attribute; null is what passwords read as. */
export type BiosShown = BiosValue | null;

const plain = (value: unknown): BiosShown =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;

/** Attributes as a BMC shows them; what is no plain value reads as null. */
export const shownValue = plain;

/**
 * Whether two values mean the same. BMCs give numbers as texts, and the other way round: by the type of the
 * registry, or else of the values, "4" is 4. The name of an enumeration's value is compared letter by letter.
 */
export function sameValue(a: unknown, b: unknown, type: BiosType | null = null): boolean {
  const [x, y] = [plain(a), plain(b)];
  if (x === null || y === null) return false;
  if (x === y) return true;
  const numeric = type === 'Integer' || typeof x === 'number' || typeof y === 'number';
  if (numeric && asNumber(x) !== null) return asNumber(x) === asNumber(y);
  const logical = type === 'Boolean' || typeof x === 'boolean' || typeof y === 'boolean';
  if (logical && asBoolean(x) !== null) return asBoolean(x) === asBoolean(y);
  return false;
}

/** The value as it is written: of the type that the attribute has there now, or else of the registry's. */
export function writtenValue(wanted: BiosValue, current: unknown, type: BiosType | null): BiosValue {
  const kind = plain(current) === null ? type : typeof current;
  if (kind === 'string' || kind === 'String' || kind === 'Enumeration') return String(wanted);
  if (kind === 'number' || kind === 'Integer') return asNumber(wanted) ?? wanted;
  if (kind === 'boolean' || kind === 'Boolean') return asBoolean(wanted) ?? wanted;
  return wanted;
}

/** A value for people: texts in quotes. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? quoted(value) : plain(value) === null ? 'nothing' : String(plain(value));

/** How many letters have to be changed, up to a bound. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** A name without what makers put around it: case, blanks, and the number behind an underscore. */
const bare = (name: string): string =>
  name
    .replace(/_[0-9A-F]{4}$/i, '')
    .replace(/[\s_.-]/g, '')
    .toLowerCase();

/** The name that was probably meant; undefined if none is near. */
export function nearest(asked: string, names: readonly string[]): string | undefined {
  const wanted = bare(asked).slice(0, 128);
  const same = names.find((name) => bare(name) === wanted);
  if (same !== undefined) return same;
  let best: string | undefined;
  let least = Math.min(4, Math.ceil(wanted.length / 3));
  for (const name of names) {
    const other = bare(name).slice(0, 128);
    if (Math.abs(other.length - wanted.length) >= least) continue;
    const far = distance(wanted, other);
    if (far < least) [best, least] = [name, far];
  }
  return best;
}

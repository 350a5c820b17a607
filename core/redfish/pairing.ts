import type { SeenPart } from './look.ts';

export interface Pairing<A, B> {
  readonly same: readonly (readonly [A, B])[];
  /** In the same place, and by its serial number another part. */
  readonly replaced: readonly (readonly [A, B])[];
  readonly gone: readonly A[];
  readonly added: readonly B[];
}

/**
 * Which parts of two looks are the same: first by serial number, wherever they are; then by their place, where at
 * most one look tells a serial number; then by model,
 * and at last by number, where neither place nor serial number say anything.
 */
export function paired<A extends SeenPart, B extends SeenPart>(
  was: readonly A[],
  is: readonly B[],
): Pairing<A, B> {
  let before = [...was];
  const now = [...is];
  const take = (fits: (a: A, b: B) => boolean): (readonly [A, B])[] => {
    const pairs: (readonly [A, B])[] = [];
    before = before.filter((a) => {
      const at = now.findIndex((b) => fits(a, b));
      if (at < 0) return true;
      pairs.push([a, now[at]!]);
      now.splice(at, 1);
      return false;
    });
    return pairs;
  };
  // A serial number that several parts bear is none: then their places tell them apart.
  const unique = (list: readonly SeenPart[], id: string): boolean =>
    list.filter((part) => part.id === id).length === 1;
  const nameless = (a: A, b: B): boolean => a.id === null || b.id === null || a.id === b.id;
  const same = [
    ...take((a, b) => a.id !== null && a.id === b.id && unique(was, a.id) && unique(is, a.id)),
    ...take((a, b) => a.uri === b.uri && nameless(a, b)),
    ...take((a, b) => nameless(a, b) && a.model === b.model),
  ];
  const replaced = take((a, b) => a.uri === b.uri);
  // A BMC may show a part as a device while the host is off, and as a processor while it is on.
  same.push(...take(nameless));
  return { same, replaced, gone: before, added: now };
}

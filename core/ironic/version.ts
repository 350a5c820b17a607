/** The newest microversion that the driver knows, and the oldest that it can do with (config drive as JSON). */
export const WANTED = '1.95';
export const OLDEST = '1.56';
/** Where the node's history, and the inventory that inspection found, can be asked for. */
export const WITH_HISTORY = '1.78';
export const WITH_INVENTORY = '1.81';

const minor = (version: string): number => Number(/^1\.(\d{1,4})$/.exec(version)?.[1] ?? Number.NaN);

/** Whether `version` is at least `least`. */
export const atLeast = (version: string, least: string): boolean => minor(version) >= minor(least);

/**
 * The microversion to pin, or the reason why there is none.
 *
 * @param pinned what the contract says, if it says so
 */
export function negotiate(
  offered: { min: string; max: string },
  pinned?: string,
): { ok: true; version: string } | { ok: false; why: string } {
  const range = `${offered.min} to ${offered.max}`;
  if (Number.isNaN(minor(offered.min)) || Number.isNaN(minor(offered.max))) {
    return { ok: false, why: 'the API does not say which versions it offers' };
  }
  const version = pinned ?? (atLeast(offered.max, WANTED) ? WANTED : offered.max);
  if (!atLeast(version, OLDEST)) {
    return {
      ok: false,
      why: `version ${version} is too old: ${OLDEST} is needed, and the API offers ${range}`,
    };
  }
  if (!atLeast(offered.max, version) || !atLeast(version, offered.min)) {
    return { ok: false, why: `version ${version} is not offered: the API has ${range}` };
  }
  return { ok: true, version };
}

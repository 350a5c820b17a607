import type { Check } from './check.ts';

export type Bounds = Check['bounds'];

/**
 * The bounds of a check that looks at many targets, so many at once, each of which takes so many seconds at most. It
 * comes to its end within an attempt even where all of them take that long: the last to begin does so when the work of
 * all the others is spread over those at once.
 *
 * @param least what the check has, however few targets there are
 */
export function boundsFor(least: Bounds, seconds: readonly number[], atOnce: number): Bounds {
  const all = seconds.reduce((sum, each) => sum + each, 0);
  const longest = seconds.reduce((most, each) => Math.max(most, each), 0);
  const attempt = Math.max(least.attempt, Math.ceil(all / atOnce + longest));
  return { attempt, total: Math.max(least.total, 2 * attempt) };
}

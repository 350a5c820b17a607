import { setTimeout as sleep } from 'node:timers/promises';

/** How often, and for how long, something is tried again before its caller is told. */
export interface Patience {
  readonly pausesMs: readonly number[];
  /** No new attempt begins later than this. */
  readonly withinMs: number;
}

/**
 * Many BMCs ask once, and an agent without its image gives up: one refusal costs the whole boot. Both wait 30
 * seconds for an answer, of which the last attempt may take 20.
 */
export const PATIENCE: Patience = { pausesMs: [500, 1_500, 3_000], withinMs: 8_000 };

/** Does the work, again after a pause where what it failed with may pass. Throws what it failed with last. */
export async function patiently<T>(
  { pausesMs, withinMs }: Patience,
  mayPass: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const ends = Date.now() + withinMs;
  for (const pause of pausesMs) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() + pause > ends) throw error;
    }
    await sleep(pause);
  }
  return work();
}

import { setTimeout as pause } from 'node:timers/promises';

const LOOK_AGAIN_MS = 500;

/** Looks until there is something to see. What was seen last is in the error when there never is. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  withinMs = 180_000,
): Promise<T> {
  const until = Date.now() + withinMs;
  let last: unknown;
  do {
    try {
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      last = error;
    }
    await pause(LOOK_AGAIN_MS);
  } while (Date.now() < until);
  throw new Error(`never seen within ${withinMs / 1000} s: ${what}`, { cause: last });
}

import { setTimeout as sleep } from 'node:timers/promises';

/** How fast the items of a round are begun. */
export interface Pace {
  /** Over this time the beginnings are spread evenly. */
  readonly spreadMs: number;
  /** So many are under way at most: where they take long, the round does. */
  readonly atOnce: number;
  /** Ends the round: nothing more is begun, and what is under way is awaited. */
  readonly signal: AbortSignal;
}

/** Waits; ends early, and without an error, when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0 && !signal.aborted) await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Does something with each item: evenly over a time, never more than so many at once. `act` must not throw. */
export async function paced<T>(
  items: readonly T[],
  { spreadMs, atOnce, signal }: Pace,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const begun = Date.now();
  const underWay = new Set<Promise<void>>();
  for (const [index, item] of items.entries()) {
    await pause(begun + (index * spreadMs) / items.length - Date.now(), signal);
    while (underWay.size >= atOnce) await Promise.race(underWay);
    if (signal.aborted) break;
    const work = act(item).finally(() => underWay.delete(work));
    underWay.add(work);
  }
  await Promise.all(underWay);
}

import { setMaxListeners } from 'node:events';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { Driver } from '../drivers/driver.ts';
import type { Site } from '../site.ts';
import { pause } from './pace.ts';
import { Rounds } from './round.ts';

/** Unless the contract says otherwise. */
const INTERVAL = 60;
/** How many looks are under way at once. Few are, unless many BMCs are dark, which must not hold up the others. */
const AT_ONCE = 256;
/** How soon a contract that wants no watch, or cannot be read, is looked at again. */
const IDLE_MS = 60_000;
/** After this time the watch begins anew, with a history of a few events. */
const LIFE_MS = 3_600_000;

/** How the watch is bounded. */
export interface WatchBounds {
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** Called after each round with what it did. */
  readonly onRound?: (round: object) => void;
  /** @default an hour */
  readonly lifeMs?: number;
}

/**
 * Looks at all nodes of the site, round after round, until an hour is over or the signal is aborted. Each round goes
 * by the contract as its file stands when it begins.
 */
export async function watchNodes(site: Site, drivers: readonly Driver[], bounds: WatchBounds): Promise<void> {
  const { signal, onRound, lifeMs = LIFE_MS } = bounds;
  // Each look that is under way listens.
  setMaxListeners(2 * AT_ONCE, signal);
  const ends = Date.now() + lifeMs;
  const rounds = new Rounds(site, drivers);
  let known: Inventory | undefined;
  try {
    for (let round = 1; !signal.aborted && Date.now() < ends; round += 1) {
      const begun = Date.now();
      // A contract that is being written, or is wrong, leaves the one before in force.
      known = await site.inventory().catch((error: unknown) => {
        site.log.warn({ err: error }, 'the watch goes on by the contract that was read before');
        return known;
      });
      const ms = intervalMs(known);
      if (known === undefined || ms === undefined) {
        await pause(Math.min(IDLE_MS, ends - begun), signal);
        continue;
      }
      const nodes = await rounds.run(known, { spreadMs: ms, atOnce: AT_ONCE, signal });
      onRound?.({ round, nodes, begun: new Date(begun).toISOString() });
      await pause(begun + ms - Date.now(), signal);
    }
  } finally {
    rounds.close();
  }
}

function intervalMs(inventory: Inventory | undefined): number | undefined {
  const watch = inventory?.bmc.watch;
  if (inventory === undefined || watch === 'off') return undefined;
  return (watch?.interval ?? INTERVAL) * 1000;
}

import { newStanding, STANDING_NAME, type SiteStanding } from '../../core/acceptance/standing.ts';
import { fail } from '../../core/errors/failure.ts';
import { fileRecordStore } from '../records/file-record-store.ts';

/** How often a change is tried while others change it, too. */
const TRIES = 100;
const PAUSE_MS = 20;

/** Keeps how the gates of a site stand. */
export interface StandingStore {
  /** A site where nothing ran has no gates. */
  read(site: string): Promise<SiteStanding>;
  /**
   * Replaces it by what a function makes of it; called again where somebody else was faster. Returning the value
   * that it was given changes nothing.
   *
   * @returns what is stored now
   */
  change(site: string, next: (standing: SiteStanding) => SiteStanding): Promise<SiteStanding>;
}

/** As files, a compare-and-set across processes: `<root>/<site>/gates/<generation>.json`. */
export function fileStandingStore(root: string): StandingStore {
  const records = fileRecordStore<SiteStanding>(root);
  const read = async (site: string): Promise<SiteStanding> =>
    (await records.read(site, STANDING_NAME)) ?? newStanding(site);
  return {
    read,
    async change(site, next) {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const before = await read(site);
        const wanted = next(before);
        if (wanted === before) return before;
        const after = { ...wanted, generation: before.generation + 1 };
        if ((await records.write(after, before.generation)) === 'written') return after;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS));
      }
      throw fail('GENERATION_CONFLICT', `The standing of site ${site} is changed by others all the time.`, {
        retryable: true,
      });
    },
  };
}

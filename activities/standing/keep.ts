import type { Inventory } from '../../contracts/inventory/inventory.ts';
import {
  judge,
  withGate,
  withoutRun,
  withVerdict,
  type GateStanding,
  type RunEnd,
} from '../../core/acceptance/standing.ts';
import type { KeptVerdict } from '../../core/site-activities.ts';
import type { Site } from '../site.ts';

type Needs = Pick<Site, 'name' | 'standing' | 'contracts' | 'inventory'>;

/** Keeps how a gate came out. */
export async function keepGate(
  site: Pick<Site, 'standing'>,
  { site: name, gate }: { readonly site: string; readonly gate: Omit<GateStanding, 'since'> },
): Promise<void> {
  await site.standing.change(name, (standing) => withGate(standing, gate));
}

/**
 * A run is over: the site is free for the next, and what is to be thought of it is kept. A repetition answers the
 * same.
 */
export async function keepVerdict(
  site: Needs,
  { site: name, end, contractHash }: { site: string; end: RunEnd; contractHash?: string },
): Promise<KeptVerdict> {
  const contract = await contractOf(site, contractHash);
  const webhook = contract?.acceptance?.webhook !== undefined;
  const { verdict } = await site.standing.change(name, (standing) => {
    const free = withoutRun(standing, end.runId);
    const judgement = judge(free, contract?.acceptance?.gates, end);
    return judgement === undefined ? free : withVerdict(free, judgement, end, webhook);
  });
  return {
    changed: verdict?.runId === end.runId ? verdict : null,
    untold: webhook && verdict?.told === false ? verdict : null,
  };
}

/** That of the run, else the one that stands there now; undefined if that is broken: it is what the run is about. */
export async function contractOf(
  site: Pick<Site, 'contracts' | 'inventory'>,
  hash: string | undefined,
): Promise<Inventory | undefined> {
  if (hash !== undefined) return site.contracts.load(hash);
  return site.inventory().catch(() => undefined);
}

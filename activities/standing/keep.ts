import type { Inventory } from '../../contracts/inventory/inventory.ts';
import {
  judge,
  withGate,
  withoutRun,
  withTold,
  withVerdict,
  type GateStanding,
  type RunEnd,
} from '../../core/acceptance/standing.ts';
import { RackwrightError } from '../../core/errors/failure.ts';
import type { KeptVerdict } from '../../core/site-activities.ts';
import type { Site } from '../site.ts';

type Webhook = NonNullable<NonNullable<Inventory['acceptance']>['webhook']>;
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
 * same. A contract that is broken does not say who is to be told: then the last one that is known does, and if there is
 * none the verdict waits for a run that knows.
 */
export async function keepVerdict(
  site: Needs,
  { site: name, end, contractHash }: { site: string; end: RunEnd; contractHash?: string },
): Promise<KeptVerdict> {
  const contract = await contractOf(site, contractHash);
  const listener = await listenerOf(site, contractHash);
  const { verdict } = await site.standing.change(name, (standing) => {
    const free = withoutRun(standing, end.runId);
    // Where there is nobody to be told, what could not be told before has nowhere to go either.
    const before = listener === null && free.verdict ? withTold(free, free.verdict.runId) : free;
    const judgement = judge(before, contract?.acceptance?.gates, end);
    return judgement === undefined ? before : withVerdict(before, judgement, end, listener !== null);
  });
  return {
    changed: verdict?.runId === end.runId ? verdict : null,
    untold: listener && verdict?.told === false ? verdict : null,
  };
}

/** That of the run, else the one that stands there now; undefined if that is broken: it is what the run is about. */
async function contractOf(
  site: Pick<Site, 'contracts' | 'inventory'>,
  hash: string | undefined,
): Promise<Inventory | undefined> {
  if (hash !== undefined) return site.contracts.load(hash);
  return site.inventory().catch(() => undefined);
}

/** Who is told of a change of verdict. Null: nobody. Undefined: no contract is known that would say. */
export async function listenerOf(site: Needs, hash: string | undefined): Promise<Webhook | null | undefined> {
  const contract = (await contractOf(site, hash)) ?? (await lastContract(site));
  return contract && (contract.acceptance?.webhook ?? null);
}

/** The contract that the gate which ended last was held to. */
async function lastContract(site: Needs): Promise<Inventory | undefined> {
  const { gates } = await site.standing.read(site.name);
  const [last] = [...gates].sort((a, b) => Date.parse(b.endedAt) - Date.parse(a.endedAt));
  if (last === undefined) return undefined;
  return site.contracts.load(last.contractHash).catch((error: unknown) => {
    // One that was removed, or is of a version that this one does not read, says nothing.
    if (error instanceof RackwrightError) return undefined;
    throw error;
  });
}

import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { operatorsOf } from '../../../contracts/inventory/vantage.ts';
import type { Reachability } from '../../../contracts/inventory/reachability.ts';
import { boundsFor, type Bounds } from '../../../core/acceptance/bounds.ts';
import type { CheckResult } from '../../../core/acceptance/report.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { FaultDomain } from '../../../core/fault-domains.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import { judgeReach, type JudgedReach, type Reached } from '../../../core/reachability/judge.ts';
import { shownProbe, type Probed } from '../../../core/reachability/probe.ts';
import { PROBE_SECONDS, placesAt, type Place } from '../../vantage/places.ts';
import { eachTarget, foundOf, withRepeats, type CheckContext } from '../check.ts';

/** What is tried from one name of a place. */
export interface Tries {
  /** `worker`, or the name of a vantage point. */
  readonly from: string;
  readonly wanted: readonly Wanted[];
  /** What else is to be said of it, beside how many answered. */
  readonly note?: string;
}

/** What has to be reached, and the CA that its certificate may be of, as PEM. */
export type Wanted = Reached & { readonly ca?: string };

/** Connections that a place opens at once: the words of a command in a pod are part of a URL. */
const AT_ONCE = 32;

/** Opens the connections from each place that a name stands for. */
export async function tryFrom(
  context: CheckContext,
  faultDomain: FaultDomain,
  tries: readonly Tries[],
): Promise<CheckResult> {
  const said = new Map<string, string>();
  const targets = merged(tries).map((each) => ({ ...each, name: each.from }));
  const result = await eachTarget(context, faultDomain, targets, async ({ from, wanted, note }) => {
    const evidence: EvidenceRef[] = [];
    const judged: JudgedReach[] = [];
    const labels: string[] = [];
    for (const place of await placesAt(from, context)) {
      const probed = await probeAll(place, wanted);
      labels.push(place.label);
      evidence.push(await keep(context, place, wanted, probed));
      judged.push(judgeReach(place.label, wanted, probed));
    }
    const all = <K extends keyof JudgedReach>(kind: K) =>
      judged.flatMap((each) => each[kind] as readonly JudgedReach[K][number][]);
    const wrong = all('wrong');
    if (wrong.length === 0) {
      throwUntold(
        { nameless: all('nameless'), silent: all('silent'), unable: all('unable') },
        labels,
        faultDomain,
      );
    }
    const right = `${wanted.length} reached from ${labels.join(', ')}${note ?? ''}`;
    said.set(from, right);
    return { found: foundOf(wrong, right), evidence };
  });
  if (result.outcome !== 'pass') return result;
  return { ...result, summary: targets.map(({ from }) => said.get(from)).join('; ') };
}

/** What is tried from one place is one: its evidence is kept by the place. */
function merged(tries: readonly Tries[]): readonly Tries[] {
  const byPlace = new Map<string, Tries>();
  for (const each of tries) {
    const had = byPlace.get(each.from);
    const wanted = [...(had?.wanted ?? []), ...each.wanted];
    byPlace.set(each.from, { from: each.from, wanted, note: `${had?.note ?? ''}${each.note ?? ''}` });
  }
  return [...byPlace.values()];
}

/** The time that so many connections take where nothing answers. */
export const boundsOf = (least: Bounds, counts: readonly number[]): Bounds =>
  boundsFor(
    least,
    counts.map((count) => withRepeats(Math.max(1, Math.ceil(count / AT_ONCE)) * PROBE_SECONDS)),
    1,
  );

async function probeAll(place: Place, wanted: readonly Wanted[]): Promise<readonly Probed[]> {
  const found: Probed[] = [];
  for (const ca of new Set(wanted.map((each) => each.ca))) {
    const own = [...wanted.entries()].filter(([, each]) => each.ca === ca);
    for (let at = 0; at < own.length; at += AT_ONCE) {
      const some = own.slice(at, at + AT_ONCE);
      const probed = await place.probe(
        some.map(([, { probe }]) => probe),
        ca,
      );
      for (const [i, [index]] of some.entries()) found[index] = probed[i]!;
    }
  }
  return found;
}

const keep = (
  context: CheckContext,
  { label }: Place,
  wanted: readonly Wanted[],
  probed: readonly Probed[],
): Promise<EvidenceRef> =>
  context.evidence(label, {
    asked: `connections from ${label}`,
    answer: {
      from: label,
      tried: wanted.map(({ what, probe }, index) => {
        const { outcome, status } = probed[index]!;
        return { what, at: shownProbe(probe), outcome, ...(status === undefined ? {} : { status }) };
      }),
    },
  });

/** Throws where something could not be told. */
export function throwUntold(
  { nameless, silent, unable }: Pick<JudgedReach, 'nameless' | 'silent' | 'unable'>,
  labels: readonly string[],
  faultDomain: FaultDomain,
): void {
  const from = labels.join(', ');
  const some = (all: readonly string[]): string =>
    `${all.slice(0, 8).join(', ')}${all.length > 8 ? `, and ${all.length - 8} more` : ''}`;
  const details = {
    nameless: nameless.slice(0, 50),
    silent: silent.slice(0, 50),
    unable: unable.slice(0, 50),
  };
  if (nameless.length > 0) {
    throw fail('HOST_NAME_UNRESOLVED', `From ${from} no address is found for ${some(nameless)}.`, {
      details,
      faultDomain,
    });
  }
  if (silent.length > 0) {
    throw fail('HOST_ROUTE_SILENT', `From ${from} no answer is got from ${some(silent)}.`, {
      details,
      faultDomain,
    });
  }
  if (unable.length > 0) {
    throw fail('TARGET_UNAVAILABLE', `What ${from} asks cannot serve it: ${some(unable)}.`, {
      details,
      faultDomain,
    });
  }
}

/** What the contract says of who reaches whom. */
export function reachabilityOf(inventory: Inventory): Reachability {
  const { reaches } = operatorsOf(inventory);
  return { ...inventory.acceptance?.reachability, ...(reaches === undefined ? {} : { operator: reaches }) };
}

/** Why a component cannot be asked: no place stands for it. */
export const noPlace = (who: string, field: string): string =>
  `the contract names no place that stands for ${who} (\`acceptance.reachability.${field}\`); from anywhere else it would not count`;

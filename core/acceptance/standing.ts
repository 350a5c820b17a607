import type { ErrorCode } from '../errors/catalogue.ts';
import type { Failure } from '../errors/failure.ts';
import type { FaultDomain } from '../fault-domains.ts';
import type { Outcome } from '../operations.ts';
import { isGateNumber, type GateNumber } from './gates.ts';
import type { CheckOutcome } from './report.ts';
import { isGreen } from './verdict.ts';

/** How a gate came out when it ran last, whichever run that was. Times are ISO 8601. */
export interface GateStanding {
  readonly gate: GateNumber;
  readonly outcome: CheckOutcome;
  readonly runId: string;
  readonly endedAt: string;
  /** Since when it has been green, or not green, without a break. */
  readonly since: string;
  readonly contractHash: string;
  readonly fingerprint: string;
  /** Of what made it red. */
  readonly failure?: Pick<Failure, 'code' | 'faultDomain' | 'message'>;
}

/** What the gates of a site come to. */
export interface Judgement {
  readonly outcome: 'pass' | 'fail' | 'error';
  /** The first gate that is red. */
  readonly gate: GateNumber | null;
  readonly faultDomain: FaultDomain | null;
  readonly code: ErrorCode | null;
}

/** A judgement, and the run that brought it. */
export interface SiteVerdict extends Judgement {
  readonly runId: string;
  readonly at: string;
  /** What it was before that run; null: nothing was known. */
  readonly previous: Omit<SiteVerdict, 'previous' | 'told'> | null;
  /** Whether the webhook has it, or there was none to tell. */
  readonly told: boolean;
}

/** How the gates of a site stand, outside of Temporal. `node` is the store's name for it. */
export interface SiteStanding {
  readonly site: string;
  readonly node: typeof STANDING_NAME;
  readonly generation: number;
  readonly gates: readonly GateStanding[];
  /** The run that has the site now: two never run at once. */
  readonly running: { readonly runId: string; readonly since: string } | null;
  readonly verdict: SiteVerdict | null;
}

/** Under which name the standing of a site is stored. */
export const STANDING_NAME = 'gates';

/** The standing of a site where nothing ran yet. */
export const newStanding = (site: string): SiteStanding => ({
  site,
  node: STANDING_NAME,
  generation: 0,
  gates: [],
  running: null,
  verdict: null,
});

/** A gate ended. What is older than what is known changes nothing. */
export function withGate(standing: SiteStanding, ended: Omit<GateStanding, 'since'>): SiteStanding {
  const known = standing.gates.find(({ gate }) => gate === ended.gate);
  if (known && known.endedAt >= ended.endedAt) return standing;
  const goesOn = known && isGreen(known.outcome) === isGreen(ended.outcome);
  const gates = [
    ...standing.gates.filter(({ gate }) => gate !== ended.gate),
    { ...ended, since: goesOn ? known.since : ended.endedAt },
  ].sort((a, b) => a.gate - b.gate);
  return { ...standing, gates };
}

/** A run takes the site, if it is free or its own. */
export const withRun = (standing: SiteStanding, runId: string, since: string): SiteStanding =>
  standing.running?.runId === runId ? standing : { ...standing, running: { runId, since } };

/** A run gives the site back. */
export const withoutRun = (standing: SiteStanding, runId: string): SiteStanding =>
  standing.running?.runId === runId ? { ...standing, running: null } : standing;

/** How a run ended, as far as the verdict on its site goes. */
export interface RunEnd {
  readonly runId: string;
  readonly at: string;
  readonly outcome: Outcome;
  /** Not set where it did not stop at a gate. */
  readonly stoppedAt?: GateNumber;
  readonly failure?: Pick<Failure, 'code' | 'faultDomain'>;
}

/** What says something of the request, and nothing of the site. */
const OF_THE_REQUEST: readonly ErrorCode[] = [
  'EVIDENCE_ALTERED',
  'EVIDENCE_OUTDATED',
  'GATE_NOT_SUPPORTED',
  'INVALID_MESSAGE',
  'RUN_EXISTS',
  'RUN_IN_PROGRESS',
  'RUN_UNKNOWN',
  'WINDOW_CLOSED',
];

/**
 * What is to be thought of a site after a run: the first red gate of those that the contract wants, however few of
 * them the run took; a run that failed before any gate speaks for itself, where it speaks of the site. Undefined: it
 * tells nothing.
 */
export function judge(
  standing: SiteStanding,
  wanted: readonly number[] | undefined,
  { outcome, failure, stoppedAt }: RunEnd,
): Judgement | undefined {
  const { faultDomain = null, code = null } = failure ?? {};
  const isEarly = (outcome === 'fail' || outcome === 'error') && stoppedAt === undefined;
  const isOfRequest = isEarly && code !== null && OF_THE_REQUEST.includes(code);
  // Its gates had nothing to look at: others may have.
  const isEmpty = isEarly && code === 'CHECK_NO_RESULT';
  const own: Judgement = { outcome: outcome === 'fail' ? 'fail' : 'error', gate: null, faultDomain, code };
  if (isEarly && !isOfRequest && !isEmpty) return own;
  // Whoever gave up before anything was red has learnt nothing.
  if (outcome === 'aborted' && stoppedAt === undefined) return undefined;
  const gates = standing.gates.filter(({ gate }) => wanted?.includes(gate) ?? true);
  const red = gates.find((each) => !isGreen(each.outcome));
  if (red) {
    const cause = { faultDomain: red.failure?.faultDomain ?? null, code: red.failure?.code ?? null };
    return { outcome: red.outcome === 'fail' ? 'fail' : 'error', gate: red.gate, ...cause };
  }
  if (isOfRequest) return undefined;
  if (gates.some((each) => each.outcome === 'pass'))
    return { outcome: 'pass', gate: null, faultDomain: null, code: null };
  return isEmpty ? own : undefined;
}

/** Whether somebody has to be told: it came out otherwise, at another gate, or is somebody else's now. */
const differs = (a: Judgement | null, b: Judgement): boolean =>
  a === null || a.outcome !== b.outcome || a.gate !== b.gate || a.faultDomain !== b.faultDomain;

/**
 * The standing with the verdict that a run brought; the same one where it is as before.
 *
 * @param tell whether there is somebody to be told of a change, or may be
 */
export function withVerdict(
  standing: SiteStanding,
  now: Judgement,
  { runId, at }: RunEnd,
  tell: boolean,
): SiteStanding {
  const { verdict } = standing;
  if (verdict?.runId === runId || !differs(verdict, now)) return standing;
  const { previous: _older, told: _told, ...previous } = verdict ?? {};
  return {
    ...standing,
    verdict: {
      ...now,
      runId,
      at,
      previous: verdict === null ? null : (previous as SiteVerdict['previous']),
      told: !tell,
    },
  };
}

/** The webhook has the verdict that a run brought. */
export const withTold = (standing: SiteStanding, runId: string): SiteStanding =>
  standing.verdict?.runId === runId && !standing.verdict.told
    ? { ...standing, verdict: { ...standing.verdict, told: true } }
    : standing;

/** What the contract demands of the gates before a node is enrolled or deployed. */
export interface Requirement {
  readonly gates: readonly number[];
  /** Seconds. */
  readonly maxAge?: number | undefined;
}

/** The gates of a requirement that do not meet it; `standing` is missing for those that never ran. */
export function unmet(
  standing: SiteStanding,
  { gates, maxAge }: Requirement,
  now: number,
): { readonly gate: GateNumber; readonly standing?: GateStanding }[] {
  return [...new Set(gates)]
    .filter(isGateNumber)
    .sort((a, b) => a - b)
    .flatMap((gate) => {
      const found = standing.gates.find((each) => each.gate === gate);
      if (!found) return [{ gate }];
      const old = maxAge !== undefined && now - Date.parse(found.endedAt) > maxAge * 1000;
      return old || !isGreen(found.outcome) ? [{ gate, standing: found }] : [];
    });
}

/** The gates of the control plane, 1 to 6, that are red: what fails on a node meanwhile may be theirs. */
export const redGates = ({ gates }: SiteStanding): GateStanding[] =>
  gates.filter(({ gate, outcome }) => gate !== 7 && !isGreen(outcome));

/** How the remark begins that names a red gate beside a node's failure. */
export const CONTROL_PLANE_FIRST = 'Control plane first';

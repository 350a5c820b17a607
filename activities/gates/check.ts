import { setMaxListeners } from 'node:events';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { Bounds } from '../../core/acceptance/bounds.ts';
import type { Check } from '../../core/acceptance/check.ts';
import type { CheckFinding, CheckInput, CheckResult } from '../../core/acceptance/report.ts';
import { outcomeOfTargets } from '../../core/acceptance/verdict.ts';
import { failure, RackwrightError, type Failure } from '../../core/errors/failure.ts';
import type { FaultDomain } from '../../core/fault-domains.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { EvidenceRef } from '../../core/operations.ts';
import type { Site } from '../site.ts';

/** What a check gets: the contract of its run, and how to reach the site's stores. */
export interface CheckContext {
  readonly input: CheckInput;
  readonly site: Site;
  /** The stored version of the contract that the run holds the site to. */
  readonly inventory: Inventory;
  /** Aborted when the attempt is cancelled, or its time is over. */
  readonly signal: AbortSignal;
  /** Resolves a secret reference of the contract; what it returns is redacted from all evidence. */
  secret(reference: string): Promise<string>;
  /**
   * Keeps a piece of evidence: what was asked of a target, and what it answered. A repeated attempt replaces its
   * own.
   */
  evidence(target: string, what: { asked: string; answer: Json }): Promise<EvidenceRef>;
  /** How far a long check has come: shown at the pending activity. */
  progress?(what: JsonObject): void;
}

/** How a check is made. */
export interface CheckFunction {
  /** Why there is nothing of the kind to check, going by the contract; undefined: it is run. */
  skip?(inventory: Inventory): string | undefined;
  /**
   * The time that it has where that depends on how much the contract gives it to look at.
   *
   * @param least what the catalogue gives it
   */
  bounds?(inventory: Inventory, least: Bounds): Bounds;
  /** Throws what keeps it from being told: an error, never a fail. */
  run(context: CheckContext): Promise<CheckResult>;
}

/** A check of the catalogue, and how it is made. */
export interface GateCheck extends CheckFunction {
  readonly check: Check;
}

/** What is wrong with a target, and what corrects it. */
export interface Wrong {
  readonly message: string;
  readonly correction: string;
  /** Where it is not the check's own. */
  readonly faultDomain?: FaultDomain;
}

/** What a look at one target found: nothing wrong, in words, or what is wrong, the worst first. */
export type Look = { readonly right: string } | { readonly wrong: readonly (Wrong | Failure)[] };

/** A look from findings: right where there are none. */
export const foundOf = (wrong: readonly Wrong[], right: string): Look =>
  wrong.length === 0 ? { right } : { wrong };

/** How many findings of a check are told; the evidence has all. */
const MOST_FINDINGS = 10;
/** How many pieces of evidence a result names; the store has all. */
const MOST_EVIDENCE = 20;
/** How often a target is asked whose answer could not be had, and may be had later; and the pause between. */
const ATTEMPTS = 3;
export const AGAIN_MS = 2000;
/** Where a target itself says when to come again. */
const MOST_AGAIN_MS = 10_000;
/** How many targets are looked at at once, where a check does not say otherwise. */
export const AT_ONCE = 8;

/** How many seconds a target takes at most whose look takes so many. */
export const withRepeats = (look: number): number =>
  ATTEMPTS * look + ((ATTEMPTS - 1) * MOST_AGAIN_MS) / 1000;

export interface Target {
  readonly name: string;
}

/**
 * Looks at each target, several at once. A target whose answer cannot be had does not keep the others from being
 * looked at: it is an error of its own, tried again where that may help.
 *
 * @param faultDomain whose it is where a look names nobody else
 */
export async function eachTarget<T extends Target>(
  context: CheckContext,
  faultDomain: FaultDomain,
  targets: readonly T[],
  look: (target: T) => Promise<{ readonly found: Look; readonly evidence?: readonly EvidenceRef[] }>,
  { atOnce = AT_ONCE, againMs = AGAIN_MS }: { readonly atOnce?: number; readonly againMs?: number } = {},
): Promise<CheckResult> {
  // Every target that is looked at listens to it, which is no leak.
  setMaxListeners(0, context.signal);
  const results: TargetResult[] = [];
  const waiting = [...targets.entries()];
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, target] = next;
      results[at] = await lookAt(context.signal, faultDomain, target, againMs, () => look(target));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return resultOf(results);
}

interface TargetResult {
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly said: string;
  readonly findings: readonly CheckFinding[];
  readonly evidence: readonly EvidenceRef[];
}

/**
 * Tries something again that may help, so often and no more: whatever a check asks is an error after as long.
 *
 * @param againMs the pause between, where nobody asks for another
 */
export async function inAttempts<T>(
  signal: AbortSignal,
  againMs: number,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let made = 1; ; made++) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RackwrightError)) throw error;
      signal.throwIfAborted();
      if (!error.failure.retryable) throw error;
      if (made >= ATTEMPTS) throw new RackwrightError({ ...error.failure, retryable: false });
      await pause(Math.min(error.retryAfterMs ?? againMs, MOST_AGAIN_MS), signal);
    }
  }
}

async function lookAt(
  signal: AbortSignal,
  faultDomain: FaultDomain,
  { name }: Target,
  againMs: number,
  look: () => Promise<{ found: Look; evidence?: readonly EvidenceRef[] }>,
): Promise<TargetResult> {
  try {
    const { found, evidence = [] } = await inAttempts(signal, againMs, look);
    if ('right' in found) return { outcome: 'pass', said: found.right, findings: [], evidence };
    return { outcome: 'fail', said: '', findings: findingsOf(name, found.wrong, faultDomain), evidence };
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    signal.throwIfAborted();
    const finding = { target: name, failure: { ...error.failure, retryable: true } };
    return { outcome: 'error', said: '', findings: [finding], evidence: [] };
  }
}

const findingsOf = (
  target: string,
  wrong: readonly (Wrong | Failure)[],
  faultDomain: FaultDomain,
): CheckFinding[] =>
  wrong.map((each) => ({ target, failure: 'code' in each ? each : wrongOf(target, each, faultDomain) }));

/** A finding as a failure: what is wrong, whose it is, what corrects it. */
export const wrongOf = (target: string, wrong: Wrong, faultDomain: FaultDomain): Failure =>
  failure('CHECK_FAILED', wrong.message, {
    correction: wrong.correction,
    faultDomain: wrong.faultDomain ?? faultDomain,
    details: { target },
  });

function resultOf(results: readonly TargetResult[]): CheckResult {
  const outcome = outcomeOfTargets(results.map((each) => each.outcome));
  const of = (wanted: TargetResult['outcome']) => results.filter((each) => each.outcome === wanted);
  const count = (wanted: TargetResult['outcome'], word: string): string[] =>
    of(wanted).length === 0 ? [] : [`${of(wanted).length} ${word}`];
  const said = [...new Set(of('pass').map((each) => each.said))];
  return {
    outcome,
    summary:
      outcome === 'pass' && said.length === 1
        ? `${results.length === 1 ? '' : `${results.length}: `}${said[0]}`
        : [
            ...count('fail', 'failed'),
            ...count('error', 'could not be told'),
            ...count('pass', 'passed'),
          ].join(', '),
    findings: [...of('fail'), ...of('error')].flatMap((each) => each.findings).slice(0, MOST_FINDINGS),
    targets: results.length,
    evidence: [...of('fail'), ...of('error'), ...of('pass')]
      .flatMap((each) => each.evidence)
      .slice(0, MOST_EVIDENCE),
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

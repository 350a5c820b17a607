import type { Failure } from '../errors/failure.ts';
import type { CheckOutcome, CheckReport, CheckResult, GateReport } from './report.ts';

/** The worst first. A known cause says more than one that could not be told. */
const WORST: readonly CheckOutcome[] = ['fail', 'error', 'pass', 'skipped'];

const worst = (outcomes: readonly CheckOutcome[]): CheckOutcome =>
  WORST.find((outcome) => outcomes.includes(outcome)) ?? 'skipped';

/**
 * What a gate comes to: the worst of its checks. A check without a result is an error; a gate all of whose checks
 * are skipped is skipped.
 */
export const gateOutcome = (checks: readonly Pick<CheckReport, 'outcome'>[]): CheckOutcome =>
  worst(checks.map(({ outcome }) => outcome ?? 'error'));

/** Whether the gates after it may run. */
export const isGreen = (outcome: CheckOutcome | undefined): boolean =>
  outcome === 'pass' || outcome === 'skipped';

/** What a whole run comes to, from its gates. Gates that did not run leave it an error. */
export function runOutcome(gates: readonly Pick<GateReport, 'outcome'>[]): 'pass' | 'fail' | 'error' {
  if (gates.some(({ outcome }) => outcome === 'fail')) return 'fail';
  return gates.every(({ outcome }) => isGreen(outcome)) && gates.some(({ outcome }) => outcome === 'pass')
    ? 'pass'
    : 'error';
}

/** The failure of the first check of a gate that is not green: those with a known cause before the others. */
export function failureOfGate(checks: readonly CheckReport[]): Failure | undefined {
  for (const outcome of ['fail', 'error'] as const) {
    for (const check of checks) {
      const first = check.outcome === outcome ? check.findings?.[0] : undefined;
      if (first) return first.failure;
    }
  }
  return undefined;
}

/** What a check comes to whose targets were looked at one by one. */
export const outcomeOfTargets = (
  outcomes: readonly Exclude<CheckResult['outcome'], 'skipped'>[],
): CheckResult['outcome'] => worst(outcomes);

import type { GateReport, PlannedGate } from './report.ts';
import { isGreen } from './verdict.ts';

/**
 * Why a gate of another run is not used again, in words that follow a colon; undefined: it is. Green is not enough: a
 * check that this version has and the other run had not, or that was left out then, has shown nothing.
 *
 * @param plan the gate as it would be run now
 */
export function whyNotKept({ gate, checks }: PlannedGate, then: GateReport | undefined): string | undefined {
  if (!then || then.endedAt === undefined || !isGreen(then.outcome)) return `its gate ${gate} is not green`;
  // One that began, and found nothing to look at, was made: a clean-up in particular.
  const made = then.checks.filter(
    ({ outcome, startedAt }) => outcome === 'pass' || (outcome === 'skipped' && startedAt !== undefined),
  );
  const missing = checks.find(
    ({ id, skipped }) => skipped === undefined && !made.some((each) => each.id === id),
  );
  return missing && `check ${missing.id} of gate ${gate} was not made then`;
}

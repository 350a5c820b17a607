import { accept, learn, type Baseline } from './baseline.ts';
import { driftOf, NO_DRIFT } from './drift.ts';
import type { Drift } from './findings.ts';
import type { LogPosition } from './log.ts';
import type { Look } from './look.ts';
import { asObject } from './read.ts';

/** Positions in the logs of a BMC, by the URI of the log. */
export interface LogPositions {
  readonly [uri: string]: LogPosition;
}

/** What is kept of a node's inspections. */
export interface KeptInspections {
  readonly version: 1;
  /** What an operation of enroll, inspect or adopt saw last. */
  readonly look: Look;
  readonly baseline: Baseline | null;
  /** Where its look at the logs ended, and where the one before had: an attempt that is made again begins there. */
  readonly logs: LogPositions;
  readonly logsBefore: LogPositions;
}

/** Reads what was kept; undefined if it is no such thing. */
export function asKept(value: unknown): KeptInspections | undefined {
  const kept = asObject(value);
  const isLook = (each: unknown): boolean => {
    const { nics, gpus, drives, system, firmware, requestId } = asObject(each);
    const lists = [nics, gpus, drives].every((list) => Array.isArray(list));
    const objects = [system, firmware].every((part) => typeof part === 'object' && part !== null);
    return lists && objects && typeof requestId === 'string';
  };
  const { version, look, baseline, logs, logsBefore } = kept;
  const sound =
    version === 1 &&
    isLook(look) &&
    (baseline === null || (isLook(baseline) && Array.isArray(asObject(baseline)['complete']))) &&
    [logs, logsBefore].every((each) => typeof each === 'object' && each !== null);
  return sound ? (value as KeptInspections) : undefined;
}

/** Where a look at the logs begins: where the last one ended that another operation had. */
export const positionsFor = (kept: KeptInspections | undefined, requestId: string): LogPositions =>
  kept === undefined ? {} : kept.look.requestId === requestId ? kept.logsBefore : kept.logs;

/** Keeps what was seen. Logs that could not be read stay where they were. */
export function withLook(
  kept: KeptInspections | undefined,
  look: Look,
  positions: LogPositions,
): KeptInspections {
  const logsBefore = positionsFor(kept, look.requestId);
  const logs = { ...logsBefore, ...positions };
  return { version: 1, look, baseline: kept?.baseline ?? null, logs, logsBefore };
}

export interface Compared {
  readonly drift: Drift;
  /** When, and by which operation, the baseline was taken; null where there was none. */
  readonly since: { readonly at: string; readonly requestId: string } | null;
  /** What was seen is the baseline from now on. */
  readonly accepted: boolean;
  readonly kept: KeptInspections;
}

/**
 * Compares what was seen with the baseline. What takes a node in, or accepts, makes it the baseline, and so does the
 * first inspection; any other one adds to it what it lacked, unless something drifted.
 */
export function compareKept(kept: KeptInspections, accepting: boolean): Compared {
  const { baseline, look } = kept;
  if (baseline === null) {
    return { drift: NO_DRIFT, since: null, accepted: true, kept: { ...kept, baseline: accept(look) } };
  }
  const drift = driftOf(baseline, look);
  const since = { at: baseline.at, requestId: baseline.requestId };
  if (accepting) return { drift, since, accepted: true, kept: { ...kept, baseline: accept(look) } };
  if (drift.findings.length > 0) return { drift, since, accepted: false, kept };
  return { drift, since, accepted: false, kept: { ...kept, baseline: learn(baseline, look) } };
}

import type { ErrorCode } from './errors/catalogue.ts';
import type { FaultDomain } from './fault-domains.ts';
import type { WorkingPhase } from './phases.ts';

/** Something about the world that a step makes true, needs, or makes false. Named by the driver. */
export type Fact = string;

/** What an operation can leave behind on a node that must not stay. */
export const RESIDUES = ['media', 'override', 'power', 'allocation'] as const;
export type Residue = (typeof RESIDUES)[number];

/** Bounds of a step, in seconds. They nest: request < attempt < step < operation. */
export interface StepBounds {
  /** One attempt; at most 60. Longer work heartbeats or asks again ("not yet"). */
  readonly attempt: number;
  /** All attempts together. */
  readonly total: number;
  /** First pause between attempts, and the longest one. */
  readonly retryFirst: number;
  readonly retryMax: number;
}

/** A worker ends an attempt itself; Temporal's own time-outs come this much later, and mean that no worker was there. */
export const ATTEMPT_GRACE_SECONDS = 5;

/** One step of a plan: what a driver does for a verb, as data. */
export interface Step {
  readonly id: string;
  readonly title: string;
  /** The working phase it belongs to; null for verbs that leave the phase alone. */
  readonly phase: WorkingPhase | null;
  readonly needs: readonly Fact[];
  readonly makes: readonly Fact[];
  /** Facts that are no longer true once it has begun. */
  readonly breaks: readonly Fact[];
  /** What it may leave behind from the moment it begins, and what is gone once it is done. */
  readonly leaves: readonly Residue[];
  readonly clears: readonly Residue[];
  /** False: its effect must not happen twice in one operation; it checks the generation and adopts. */
  readonly repeatable: boolean;
  /** Who owns its failures that name no fault domain of their own. */
  readonly owner: string;
  readonly faultDomain: FaultDomain;
  /** What it means when the step's bound passes and nothing more exact is known. */
  readonly silence: ErrorCode;
  /** Tokens of the deploy agent's next boot begin here. */
  readonly opensWindow?: true;
  /** A call-back that the step waits for before its activity runs. */
  readonly awaits?: 'agent' | 'first-boot';
  /** How often its silence sends the plan back by itself, to boot what should have called. @default 0 */
  readonly restarts?: number;
  /** What an end of the operation does not stop, in a sentence: it goes on on the device. */
  readonly goesOn?: string;
  readonly bounds: StepBounds;
}

/**
 * Which steps to run again so that the plan can go on. As `stepsToRun`, and: an agent that has to be
 * booted again gets new media, for its tokens are made anew.
 */
export function stepsToResume(
  steps: readonly Step[],
  failedAt: number,
  holds: (fact: Fact) => boolean,
  from?: number,
): number[] {
  const run = stepsToRun(steps, failedAt, holds, from);
  const opens = steps.findIndex((step) => step.opensWindow);
  const awaits = steps.findIndex((step) => step.awaits === 'agent');
  if (opens < 0 || !run.includes(awaits)) return run;
  const stale = new Set(steps.slice(opens, awaits + 1).flatMap((step) => step.makes));
  return stepsToRun(steps, failedAt, (fact) => !stale.has(fact) && holds(fact), from);
}

/** Facts that must hold before the step at `index` may run, given what the steps before it make. */
function missing(needs: Iterable<Fact>, holds: (fact: Fact) => boolean): Fact[] {
  return [...needs].filter((fact) => !holds(fact));
}

/**
 * Which steps to run again, and in what order, so that the plan can go on at `failedAt`.
 * Works backwards like a build tool: the failed step and all after it run; an earlier step runs
 * only if it makes a fact that a step to be run needs and that does not hold.
 *
 * @param holds what is known to be true of the world now
 * @param from an operator's wish to start earlier (index of a step); never later than needed
 */
export function stepsToRun(
  steps: readonly Step[],
  failedAt: number,
  holds: (fact: Fact) => boolean,
  from?: number,
): number[] {
  const start = Math.min(failedAt, from ?? failedAt);
  const run = steps.map((_, index) => index).filter((index) => index >= start);
  const wanted = new Set<Fact>();
  const madeBy = (index: number): boolean => steps[index]!.makes.some((fact) => wanted.has(fact));

  // What the steps from `start` on need, and do not make themselves before they need it.
  const made = new Set<Fact>();
  for (let index = start; index < steps.length; index++) {
    const step = steps[index]!;
    for (const fact of missing(step.needs, (f) => made.has(f) || holds(f))) wanted.add(fact);
    for (const fact of step.makes) made.add(fact);
  }
  for (let index = start - 1; index >= 0; index--) {
    if (!madeBy(index)) continue;
    run.unshift(index);
    for (const fact of steps[index]!.makes) wanted.delete(fact);
    for (const fact of missing(steps[index]!.needs, holds)) wanted.add(fact);
  }
  return run;
}

/** Everything a plan may leave behind if it is cut off anywhere. */
export function mayLeave(steps: readonly Step[]): Residue[] {
  return RESIDUES.filter((residue) => steps.some((step) => step.leaves.includes(residue)));
}

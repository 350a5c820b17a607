import type { FaultDomain } from '../fault-domains.ts';

/** One difference that somebody has to look at. */
export interface Finding {
  readonly what: string;
  readonly was: string;
  readonly is: string;
  readonly faultDomain: FaultDomain;
  readonly correction: string;
}

/** What one comparison found. */
export interface Drift {
  readonly findings: readonly Finding[];
  /** Changes that are no drift. */
  readonly notes: readonly string[];
  /** What was there before, and is not told now, though it may well be there. */
  readonly untold: readonly string[];
}

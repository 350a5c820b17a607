import type { FaultDomain } from '../fault-domains.ts';
import type { GateNumber } from './gates.ts';
import type { RequirementId } from './requirements.ts';

/** What a check is, whatever the site. Its activity is `gates.<id>`. */
export interface Check {
  readonly id: string;
  readonly gate: GateNumber;
  readonly title: string;
  /** What a pass shows, in a sentence. */
  readonly shows: string;
  /** Which component opens the connection. */
  readonly from: string;
  /** Whose it is where a finding names nobody else. */
  readonly faultDomain: FaultDomain;
  /** What a pass of it is evidence for. */
  readonly requirements: readonly RequirementId[];
  /** Seconds, of one attempt and of all together. */
  readonly bounds: { readonly attempt: number; readonly total: number };
  /** Checks of the same gate that have to pass before it is made. */
  readonly needs: readonly string[];
  /**
   * `capture` and `cleanup` come after all others of the gate, one after the other, and are made whatever happened,
   * also when the run is aborted. @default check
   */
  readonly stage: Stage;
}

export const STAGES = ['check', 'capture', 'cleanup'] as const;
export type Stage = (typeof STAGES)[number];

type Defaulted = 'requirements' | 'bounds' | 'needs' | 'stage';
type Given = Omit<Check, Defaulted> & Partial<Pick<Check, Defaulted>>;

/** A check with the defaults filled in: one minute an attempt, three in all. */
export const check = (given: Given): Check => ({
  requirements: [],
  bounds: { attempt: 60, total: 180 },
  needs: [],
  stage: 'check',
  ...given,
});

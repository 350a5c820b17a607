import type { FaultDomain } from '../fault-domains.ts';
import type { GateNumber } from './gates.ts';

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
  /** Ids of requirements of published catalogues that it answers. */
  readonly requirements: readonly string[];
  /** Seconds, of one attempt and of all together. */
  readonly bounds: { readonly attempt: number; readonly total: number };
}

type Given = Omit<Check, 'requirements' | 'bounds'> & Partial<Pick<Check, 'requirements' | 'bounds'>>;

/** A check with the defaults filled in: one minute an attempt, three in all. */
export const check = (given: Given): Check => ({
  requirements: [],
  bounds: { attempt: 60, total: 180 },
  ...given,
});

import type { FaultDomain } from '../fault-domains.ts';

/** Something that is not as the contract says, and the smallest correction. */
export interface Found {
  readonly message: string;
  readonly correction: string;
  /** Where it is not that of the cloud. */
  readonly faultDomain?: FaultDomain;
}

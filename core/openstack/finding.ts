import type { FaultDomain } from '../fault-domains.ts';

/** What is wrong with the path to a server, what corrects it, and whose it is. */
export interface CloudFinding {
  readonly message: string;
  readonly correction: string;
  readonly faultDomain: FaultDomain;
}

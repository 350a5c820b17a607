import type { FaultDomain } from '../fault-domains.ts';

/** One row of the error catalogue: what a code means, whose it is, and what to do about it. */
export interface CatalogueEntry {
  /** Who has to fix it. */
  readonly faultDomain: FaultDomain;
  /** Whether the same call may succeed later without anyone changing anything. */
  readonly retryable: boolean;
  /** The HTTP status that carries this code out of the gateway or the API. */
  readonly httpStatus: number;
  /** One sentence: what it means. */
  readonly meaning: string;
  /** The smallest correction, as an instruction to the operator. */
  readonly correction: string;
}

import type { CatalogueEntry } from './entry.ts';

/** Codes of the Redfish side: the BMC, the way to it, and what it fetches. */
export const REDFISH_ERRORS = {
  BMC_UNREACHABLE: {
    faultDomain: 'management-network',
    retryable: true,
    httpStatus: 502,
    meaning: 'The BMC does not accept connections, or does not answer in time.',
    correction:
      'Check address, cabling and routes from the worker to the BMC; power-cycle the BMC if it hangs.',
  },
} as const satisfies Record<string, CatalogueEntry>;

import type { CatalogueEntry } from './entry.ts';

/** Codes of what could not be told of who reaches whom. */
export const REACHABILITY_ERRORS = {
  VANTAGE_NOT_NAMED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning:
      'The contract does not say which place stands for a component that opens connections. From anywhere else it would not count.',
    correction:
      'Add a vantage point where that component is (`ssh`, or `pod`), and name it in `acceptance.reachability`.',
  },
  TARGET_UNAVAILABLE: {
    faultDomain: 'openstack',
    retryable: true,
    httpStatus: 503,
    meaning:
      'What is asked answers with a 5xx: it, or what stands before it, is out of order, and nobody can tell which of them was reached.',
    correction: 'Look at the service and at the load balancer before it, then `resume`.',
  },
} as const satisfies Record<string, CatalogueEntry>;

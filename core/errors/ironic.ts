import type { CatalogueEntry } from './entry.ts';

/** Codes of the Ironic driver. */
export const IRONIC_ERRORS = {
  IRONIC_UNREACHABLE: {
    faultDomain: 'ironic',
    retryable: true,
    httpStatus: 502,
    meaning: 'The Ironic API does not accept connections, or does not answer in time.',
    correction: 'Check the address in the contract and that the Ironic API runs.',
  },
} as const satisfies Record<string, CatalogueEntry>;

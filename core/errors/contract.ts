import type { CatalogueEntry } from './entry.ts';

/** Codes of the contract: the inventory file and what it refers to. */
export const CONTRACT_ERRORS = {
  CONTRACT_INVALID: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'The inventory has errors.',
    correction: 'Run `rackwright validate FILE` and correct each line that it names.',
  },
  NODE_UNKNOWN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 404,
    meaning: 'The contract has no node of this name.',
    correction: 'Add the node to the inventory, or correct the name.',
  },
  IMAGE_UNKNOWN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 404,
    meaning: 'The contract has no image of this name.',
    correction: 'Add the image to the inventory, or use one of the names that the message lists.',
  },
  SECRET_UNRESOLVED: {
    faultDomain: 'contract',
    retryable: true,
    httpStatus: 500,
    meaning: 'A secret reference of the contract could not be resolved on this worker.',
    correction:
      'Set the environment variable or the file that the reference names, for the worker of the site.',
  },
} as const satisfies Record<string, CatalogueEntry>;

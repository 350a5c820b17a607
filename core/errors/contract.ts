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
    meaning: 'A reference to a secret could not be resolved on this worker.',
    correction:
      'Set the environment variable or the file that the reference names, for the worker of the site.',
  },
  CONTRACT_NOT_STORED: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 404,
    meaning: 'The version of the contract that an operation runs under is not stored here.',
    correction:
      'Give the worker the data directory of the site, or ask again: a new operation stores its own.',
  },
  STORE_CORRUPT: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 500,
    meaning: 'A file in the data directory is not what was written.',
    correction: 'Restore the file that the message names from a backup, and find out who changed it.',
  },
  STORE_NAME_INVALID: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 422,
    meaning: 'A name, requestId or id is not safe as the name of a file.',
    correction: 'Use the name as the inventory has it, or the id as it was returned.',
  },
  EVIDENCE_UNKNOWN: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 404,
    meaning: 'There is no evidence with this id.',
    correction: "Use an id that the operation's report lists.",
  },
  EVIDENCE_ALTERED: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 409,
    meaning: 'A piece of evidence is not what was stored: its hash differs.',
    correction: 'Do not rely on it; restore the file from a backup, and find out who changed it.',
  },
  BLOB_UNKNOWN: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 404,
    meaning: 'A secret input of the request is no longer stored: it was used and deleted, or lies elsewhere.',
    correction: 'Send the request again with the input.',
  },
  SITE_KEY_INVALID: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 500,
    meaning:
      'The site key is not 32 bytes in hexadecimal or base64, so nothing can be sealed or opened with it.',
    correction: 'Give the key the site began with: keys/site.key, or what RACKWRIGHT_SITE_KEY refers to.',
  },
} as const satisfies Record<string, CatalogueEntry>;

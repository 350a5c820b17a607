import type { CatalogueEntry } from './entry.ts';

/** Codes of verb `service`: firmware, and what a node is like before and after. */
export const FIRMWARE_ERRORS = {
  NODE_CHANGED: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 409,
    meaning:
      'After a service the node is not what it was before, beyond what was to change: boot settings, a part, a name, or the firmware of something else. It is marked as drifted.',
    correction:
      'Look at what the message names: put the boot setting back, or reseat or replace the part, then resume. If it may stay so, abort, and inspect the node.',
  },
} as const satisfies Record<string, CatalogueEntry>;

import type { CatalogueEntry } from './entry.ts';

/** Codes of the deploy agent, its network, its images, and the guest's first boot. */
export const AGENT_ERRORS = {
  AGENT_SILENT: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 504,
    meaning: 'The node was booted from the deploy media, and its agent did not call back in time.',
    correction:
      'Look at the console: did the firmware boot the media, did the agent get an address, can it reach the gateway?',
  },
  FIRST_BOOT_SILENT: {
    faultDomain: 'first-boot',
    retryable: false,
    httpStatus: 504,
    meaning:
      'The image was written and the node was started from its disk, and its guest did not call back in time.',
    correction: 'Look at the console: did the guest boot, did it get its network, can it reach the gateway?',
  },
  ISO_INVALID: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 422,
    meaning:
      'An ISO 9660 volume could not be written or read: a damaged file, or a name that it cannot carry.',
    correction: 'Fetch or build the ISO again; check its digest; shorten the name that the message quotes.',
  },
} as const satisfies Record<string, CatalogueEntry>;

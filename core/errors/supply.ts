import type { CatalogueEntry } from './entry.ts';

/** Codes of what is prepared before any node asks for it: deploy media and images. */
export const SUPPLY_ERRORS = {
  MEDIA_TOOL_MISSING: {
    faultDomain: 'control-host',
    retryable: false,
    httpStatus: 500,
    meaning: 'A program that deploy media are built with is not on this host.',
    correction: 'Install the packages that the message names, or build the media on a host that has them.',
  },
  MEDIA_INPUT_INVALID: {
    faultDomain: 'media-publisher',
    retryable: false,
    httpStatus: 422,
    meaning: 'Deploy media cannot be built of what was given.',
    correction: 'Give the kernel first and its ramdisk second, both of one build of ironic-python-agent.',
  },
  MEDIA_BUILD_FAILED: {
    faultDomain: 'media-publisher',
    retryable: false,
    httpStatus: 500,
    meaning: 'A program that builds the deploy media failed.',
    correction: 'Read what it says in the message; look for room on the disk.',
  },
  IMAGE_NOT_KEPT: {
    faultDomain: 'control-host',
    retryable: false,
    httpStatus: 500,
    meaning: 'A copy of an image could not be written to the data directory.',
    correction:
      'Make room on the disk of the data directory, or correct its permissions; nothing was changed.',
  },
  IMAGE_VERSION_UNKNOWN: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 404,
    meaning: 'The image has no promoted version of this number, or none before the current one.',
    correction: 'Look at `rackwright image list`.',
  },
} as const satisfies Record<string, CatalogueEntry>;

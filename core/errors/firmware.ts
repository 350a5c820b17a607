import type { CatalogueEntry } from './entry.ts';

/** Codes of verb `service`: firmware, and what a node is like before and after. */
export const FIRMWARE_ERRORS = {
  FIRMWARE_OWNED_ELSEWHERE: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The contract does not say that Rackwright brings firmware to these servers: somebody else does.',
    correction:
      'Ask whoever the message names to update it. If it is to be done from here, write `owner: rackwright` into `firmware` or the baseline, see that nobody else does it, abort, and ask again.',
  },
  WINDOW_CLOSED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 409,
    meaning: 'It is outside of the windows in which the contract lets this be done.',
    correction:
      'Resume what is held, or ask again, when a window is open; the message says when the next one opens.',
  },
  FIRMWARE_BASELINE_UNKNOWN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: "The contract has no such baseline for the node's machine type.",
    correction:
      'Name a baseline that the message lists, or add one for the type under `firmware.baselines`; abort, and ask again.',
  },
  FIRMWARE_COMPONENT_UNKNOWN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning:
      'The firmware inventory of the BMC has no component that the baseline names, or two entries of the baseline mean the same one.',
    correction:
      'Write the component as the BMC calls it, by a name or an id that the message lists; abort, and ask again.',
  },
  FIRMWARE_FILE_MISSING: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'A component has another version than the baseline, and the baseline has no file for it.',
    correction:
      'Add `url` or `file`, and `checksum`, to the component in the baseline; abort, and ask again. Nothing was written.',
  },
  FIRMWARE_FILE_WRONG: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 422,
    meaning: 'The firmware file is not the one that the contract means: its SHA-256 differs.',
    correction:
      'Put the right file there, then resume; or correct `checksum`, abort, and ask again. Nothing was written.',
  },
  FIRMWARE_BUSY: {
    faultDomain: 'firmware',
    retryable: true,
    httpStatus: 409,
    meaning: 'An update that this operation did not begin is at work on the BMC. No second one is started.',
    correction: 'Let the task that the message names end, or find out who started it.',
  },
  FIRMWARE_UPDATE_FAILED: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The BMC refused the update, or its task ended as failed, or as completed with a critical status.',
    correction:
      'Read the messages of the BMC in the details. If it could not fetch the file, check the way from its network to the source. A resume asks for the update once more.',
  },
  FIRMWARE_NOT_SHOWN: {
    faultDomain: 'firmware',
    retryable: true,
    httpStatus: 504,
    meaning:
      'The update went through, or was asked for, and the firmware inventory does not show the version.',
    correction:
      'Look at the firmware inventory and the event log of the BMC, and whether the version in the baseline is written as the BMC shows it. A resume asks for the update once more.',
  },
  FIRMWARE_UNCERTAIN: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The BMC did not answer when it was asked for an update, shows no effect, and lists no tasks: whether it works on it cannot be told.',
    correction:
      'Look at the BMC whether an update is under way, and let it end. A resume asks for the update once more.',
  },
  NODE_CHANGED: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 409,
    meaning:
      'After a service the node is not what it was before, beyond what was to change: boot settings, a part, a name, or the firmware of something else. It is marked as drifted.',
    correction:
      'Look at what the message names: put the boot setting back, or reseat or replace the part, then resume. If it may stay so, abort, ask for the service again, and when that has passed `inspect` with `accept`.',
  },
} as const satisfies Record<string, CatalogueEntry>;

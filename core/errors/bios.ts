import type { CatalogueEntry } from './entry.ts';

/** Codes of BIOS settings. */
export const BIOS_ERRORS = {
  BIOS_SETTINGS_MISSING: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'BIOS settings are to be brought to what the contract says, and it says nothing of them.',
    correction:
      'Give `bios` to the machine type in the inventory, or `settings` in the request; abort, and ask again.',
  },
  BIOS_SETTING_INVALID: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'BIOS settings are not such as this BIOS takes. None of them was set.',
    correction:
      'Correct each attribute that the message names, in `bios` of the machine type or in the request; names and values are those of the attribute registry, letter by letter. Then abort, and ask again.',
  },
  BIOS_READ_ONLY: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 501,
    meaning: 'The BMC offers no way to write the settings of its BIOS: they can only be read.',
    correction:
      'Update the firmware of the BMC, or set them in the setup of the BIOS and take them out of the request; where the BMC shows no attributes, start the host once first.',
  },
  BIOS_NOT_APPLIED: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 502,
    meaning: 'BIOS settings do not read back as they were asked for.',
    correction:
      'Read what the firmware says in the message. Clear the BMC of jobs that are stuck, then resume `--from set-bios`; or correct the setting, abort, and ask again.',
  },
} as const satisfies Record<string, CatalogueEntry>;

import type { CatalogueEntry } from './entry.ts';

/** Codes of the Redfish side: the BMC, the way to it, and what it fetches. */
export const REDFISH_ERRORS = {
  BMC_ADDRESS_INVALID: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'The BMC address of the contract is not an origin such as https://10.0.0.5.',
    correction:
      'Write scheme, host and, if needed, port in `bmc.address`; put the path of the system into `bmc.system`.',
  },
  BMC_UNREACHABLE: {
    faultDomain: 'management-network',
    retryable: true,
    httpStatus: 502,
    meaning: 'The BMC does not accept connections, or does not answer in time.',
    correction:
      'Check address, cabling and routes from the worker to the BMC; power-cycle the BMC if it hangs.',
  },
  BMC_CONNECTION_LOST: {
    faultDomain: 'management-network',
    retryable: true,
    httpStatus: 502,
    meaning: 'The connection to the BMC broke, or timed out, after the request was sent.',
    correction: 'Check the path to the BMC; if it stays so, reset the BMC.',
  },
  BMC_TLS_UNTRUSTED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The certificate of the BMC does not pass the policy of the contract.',
    correction:
      'Install a certificate that the contract trusts on the BMC, or give its CA or its fingerprint in `bmc.tls`.',
  },
  BMC_TLS_FINGERPRINT: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC shows another certificate than the one that the contract pins. Nothing was sent to it.',
    correction:
      'Find out why the certificate changed (new certificate, another device, an interception), then correct the pinned fingerprint.',
  },
  BMC_TLS_FAILED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'No TLS connection could be agreed on with the BMC.',
    correction:
      'Check that the address has the right scheme and port, and that the BMC offers TLS 1.2 or newer.',
  },
  BMC_AUTH_FAILED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The BMC refuses the user name or the password. They are not tried again, so as not to lock the account.',
    correction: 'Correct the credentials that the contract refers to, then resume.',
  },
  BMC_FORBIDDEN: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The account of the contract may not do this on the BMC.',
    correction: 'Give the account the privileges of an operator, with virtual media and power control.',
  },
  BMC_PRIVILEGE_MISSING: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The contract says how something on the BMC has to be, and the account of the contract may not read it: nobody can tell.',
    correction:
      'Give the account the privilege to read it (ConfigureUsers for accounts, ConfigureManager for host interfaces, Login and ConfigureComponents for boot), or take the field out of the contract.',
  },
  BMC_PASSWORD_CHANGE_REQUIRED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC answers nothing until the password of the account has been changed.',
    correction: 'Change the password on the BMC, put the new one where the contract refers to, then resume.',
  },
  BMC_SESSION_LIMIT: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 503,
    meaning: 'The BMC has no session left.',
    correction: 'Close sessions of other programs on the BMC, or wait until they time out.',
  },
  BMC_BUSY: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 503,
    meaning: 'The BMC answers that it is not available now, as it does after a reset.',
    correction: 'Wait; if it stays so for more than ten minutes, power-cycle the BMC.',
  },
  BMC_INTERNAL_ERROR: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 502,
    meaning: 'The BMC failed while it worked on the request.',
    correction: 'Read the messages of the BMC in the details; reset the BMC if it stays so.',
  },
  BMC_STATE_REFUSED: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 503,
    meaning: 'The BMC refuses the change in the state that the system is in now: POST, or a job that waits.',
    correction:
      'Wait until the system has left POST, and pending jobs of the BMC are done; if it hangs there, look at its console.',
  },
  BMC_CONFLICT: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 409,
    meaning: 'The BMC refuses the change because of something else that is going on, or was changed at once.',
    correction: 'Look for a job or another program at work on the BMC, and let it end.',
  },
  BMC_NOT_FOUND: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC has no such resource.',
    correction: 'Check `bmc.system` in the contract, and that the firmware of the BMC offers this resource.',
  },
  BMC_REFUSED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC refuses the request.',
    correction: 'Read the messages of the BMC in the details; they name what it wants.',
  },
  BMC_ANSWER_INVALID: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 502,
    meaning: 'The answer of the BMC is not what Redfish promises: no JSON, too large, too deep, or cut off.',
    correction: 'Check that the address is a Redfish service; reset the BMC or update its firmware.',
  },
  BMC_FOREIGN_ORIGIN: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC points to another origin. Nothing was sent there.',
    correction: 'Put the address that the BMC redirects to into the contract, if it is the right one.',
  },
  BMC_NO_SYSTEM: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The service has no such system.',
    correction: 'Check that the address is the BMC of this node, and `bmc.system` in the contract.',
  },
  BMC_AMBIGUOUS_SYSTEM: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'The service has more than one system, and the contract does not say which one is the node.',
    correction: 'Put the path of one of the systems that the message lists into `bmc.system`.',
  },
  POWER_NOT_REACHED: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 504,
    meaning: 'The BMC accepted the power request, and the power state did not follow.',
    correction: 'Look at the power state and the event log on the BMC; the chassis may need an AC cycle.',
  },
  POWER_REFUSED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC refuses every kind of reset that leads to the asked power state.',
    correction:
      'Read the messages of the BMC in the details; look for a power policy or a fault that forbids it.',
  },
  MEDIA_UNSUPPORTED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC offers no virtual CD or DVD that an image could be inserted into.',
    correction: 'Install the licence or the firmware that virtual media needs on this BMC.',
  },
  MEDIA_TAKEN: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 409,
    meaning: 'Every virtual CD or DVD holds an image that is not ours.',
    correction: 'Find out who inserted the images that the message names, and eject one of them.',
  },
  MEDIA_REFUSED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC refuses to insert or to eject the image.',
    correction: 'Read the messages of the BMC in the details; they name what it wants.',
  },
  MEDIA_FETCH_FAILED: {
    faultDomain: 'media-publisher',
    retryable: true,
    httpStatus: 502,
    meaning: 'The BMC could not fetch the image from the media publisher.',
    correction:
      'Check from the network of the BMC that the media URL of the contract is reachable, and that the BMC trusts its certificate.',
  },
  MEDIA_NOT_INSERTED: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 504,
    meaning: 'The BMC accepted the image, and does not show it as inserted.',
    correction: 'Look at the virtual media page and the event log of the BMC; reset the BMC if it stays so.',
  },
  MEDIA_NOT_EJECTED: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 504,
    meaning: 'The BMC accepted the eject, and still shows the image as inserted.',
    correction: 'Eject the image on the virtual media page of the BMC; reset the BMC if it stays so.',
  },
  BOOT_UNSUPPORTED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC does not offer this boot source, or lets no one write the boot override.',
    correction:
      'Look at the boot sources that the message lists; update the firmware of the BMC or the BIOS.',
  },
  BOOT_REFUSED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'The BMC refuses the boot override.',
    correction: 'Read the messages of the BMC in the details; look for a pending BIOS job.',
  },
  BOOT_NOT_APPLIED: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 504,
    meaning: 'The BMC accepted the boot override, and does not show it.',
    correction: 'Look at the boot settings on the BMC; a pending BIOS job may hold it up.',
  },
  BMC_MISMATCH: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The BMC can be got into in a way that the contract does not have: an account that is enabled, or a host interface.',
    correction:
      'Find out who made it. Disable or delete on the BMC what the message names, then resume. If it may stay, name it in `bmc.accounts` or `bmc.hostInterface`, abort, and ask again: a changed contract takes effect with the next operation.',
  },
  BOOT_MISMATCH: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 409,
    meaning:
      'After the erase the firmware still has boot variables that its machine type does not have: secure boot, or boot options.',
    correction:
      'Set secure boot, or delete the boot options that the message names, in the BIOS setup or through the BMC, then resume. If they may stay, correct `expect` of the machine type, abort, and ask again.',
  },
  TPM_CLEAR_UNSUPPORTED: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 502,
    meaning: 'The server has a TPM, and its BMC offers no way that is known to clear it.',
    correction:
      'To go on with the secrets of the last owner in the TPM, knowingly: write `tpm: keep` into the machine type, abort, and ask again. Else clear it in the BIOS setup first.',
  },
  TPM_NOT_CLEARED: {
    faultDomain: 'firmware',
    retryable: false,
    httpStatus: 502,
    meaning: 'The firmware was asked to clear the TPM, and does not show that it did.',
    correction:
      'Look at the console: some firmware wants somebody present to confirm. Look for a pending BIOS job on the BMC. Then resume from `clear-tpm`, or clear the TPM in the BIOS setup and resume.',
  },
  TASK_FAILED: {
    faultDomain: 'bmc',
    retryable: false,
    httpStatus: 502,
    meaning: 'A task of the BMC ended as failed, or as completed with a critical status.',
    correction: 'Read the messages of the task in the details.',
  },
} as const satisfies Record<string, CatalogueEntry>;

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
  IRONIC_AUTH_FAILED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning: 'Ironic refuses the credentials of the contract, or they may not do this.',
    correction: 'Correct `openstack.ironic.auth` and what it refers to, then resume.',
  },
  IRONIC_VERSION_UNSUPPORTED: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 502,
    meaning: 'Ironic does not offer the API version that is needed.',
    correction: 'Correct `openstack.ironic.microversion` in the contract, or upgrade Ironic.',
  },
  IRONIC_REFUSED: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 502,
    meaning: 'Ironic refuses the request.',
    correction: 'Read what Ironic says in the message; correct the node in the contract or in Ironic.',
  },
  IRONIC_UNAVAILABLE: {
    faultDomain: 'ironic',
    retryable: true,
    httpStatus: 503,
    meaning:
      'Ironic answers that it cannot serve the request now: an error of its own, or no conductor is free.',
    correction: "Look at the conductors and at Ironic's log.",
  },
  IRONIC_ANSWER_INVALID: {
    faultDomain: 'ironic',
    retryable: true,
    httpStatus: 502,
    meaning:
      'What answers at the address is not what the Ironic API promises: no JSON, too large, or cut off.',
    correction: 'Check that the address in the contract is the Ironic API, and what stands in front of it.',
  },
  IRONIC_NODE_LOCKED: {
    faultDomain: 'ironic',
    retryable: true,
    httpStatus: 409,
    meaning: 'A conductor holds the lock of the node.',
    correction: 'Wait; if it stays so, look at the conductor that the message names.',
  },
  IRONIC_NODE_MISSING: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 404,
    meaning: 'Ironic has no node of this name.',
    correction: 'Enroll the node (again), and find out who removed it from Ironic.',
  },
  IRONIC_NODE_FOREIGN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 409,
    meaning: 'Ironic has a node of this name that was not created by this site.',
    correction: 'Rename the node in the contract, or have the other node renamed or removed in Ironic.',
  },
  IRONIC_PORT_TAKEN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 409,
    meaning: 'A MAC address of the contract belongs to another node in Ironic.',
    correction: 'Correct the MAC address in the contract, or remove the port from the other node.',
  },
  IRONIC_STILL_WORKING: {
    faultDomain: 'ironic',
    retryable: true,
    httpStatus: 504,
    meaning: 'Ironic is still working on the node.',
    correction:
      "Look at the node's provision state and the conductor's log; abort in Ironic what does not move.",
  },
  IRONIC_AGENT_AWAITED: {
    faultDomain: 'deploy-agent',
    retryable: true,
    httpStatus: 504,
    meaning: 'Ironic waits for the deploy agent on the node.',
    correction:
      'Look at the console: did the firmware boot the agent, did it get an address, can it reach Ironic?',
  },
  IRONIC_NODE_FAILED: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 502,
    meaning: 'What was asked of Ironic failed on the node.',
    correction: 'Read the last error of the node in the message, correct its cause, then resume.',
  },
  IRONIC_STATE_UNEXPECTED: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The node is in a provision state in Ironic that does not allow the step: someone else moved it.',
    correction:
      'Find out who changed the node in Ironic; move it back to where the message says, then resume.',
  },
  IRONIC_MAINTENANCE: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 409,
    meaning: 'The node is in maintenance in Ironic.',
    correction: 'End the maintenance in Ironic when the node may be worked on again, then resume.',
  },
  IRONIC_VALIDATION_FAILED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'Ironic finds the node not fit to be deployed.',
    correction:
      "Correct the node's `ironic.driverInfo` and `ironic.interfaces` as the message says, abort, and ask again.",
  },
  IRONIC_ERASE_UNSUPPORTED: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 502,
    meaning: "The node's interfaces in Ironic do not offer the erasure that is needed. Nothing was erased.",
    correction: 'Give the node a deploy interface with the deploy agent, such as direct, then resume.',
  },
  IRONIC_ERASE_UNPROVEN: {
    faultDomain: 'ironic',
    retryable: false,
    httpStatus: 502,
    meaning: 'The node left cleaning, but Ironic recorded an error meanwhile: it may not be erased.',
    correction: 'Resume, and the node is erased again.',
  },
  IRONIC_HARDWARE_DIFFERS: {
    faultDomain: 'hardware',
    retryable: false,
    httpStatus: 409,
    meaning: "What Ironic's inspection found is not what the contract says.",
    correction:
      'Repair the server, then resume. If the contract is wrong, correct the machine type or the ports, abort, and ask again.',
  },
  IRONIC_POWER_NOT_REACHED: {
    faultDomain: 'bmc',
    retryable: true,
    httpStatus: 504,
    meaning: 'Ironic accepted the power request, and the power state did not follow.',
    correction: 'Look at the last error of the node in Ironic and at the BMC.',
  },
  IRONIC_IMAGE_SOURCE: {
    faultDomain: 'image-supply',
    retryable: false,
    httpStatus: 422,
    meaning: 'The image has no address that Ironic could fetch it from.',
    correction:
      'Give the image an http or https URL, or set `media.gatewayUrl` so that the gateway serves it.',
  },
  IRONIC_REQUEST_UNSUPPORTED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'Ironic cannot do what the request asks for.',
    correction: 'Leave out what the message names, or release the node and deploy it again.',
  },
} as const satisfies Record<string, CatalogueEntry>;

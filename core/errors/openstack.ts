import type { CatalogueEntry } from './entry.ts';

/** Codes of the services of an OpenStack cloud, asked by a user of it. */
export const OPENSTACK_ERRORS = {
  OPENSTACK_UNREACHABLE: {
    faultDomain: 'openstack',
    retryable: true,
    httpStatus: 502,
    meaning: 'A service of the cloud does not accept connections, or does not answer in time.',
    correction: 'Check the endpoint that the message names, and that the service behind it runs.',
  },
  OPENSTACK_TLS_UNTRUSTED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning: 'The certificate of a service of the cloud is not one of an authority that is trusted.',
    correction: 'Correct `openstack.ca` in the contract, or renew the certificate of the endpoint.',
  },
  OPENSTACK_UNAUTHORIZED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning:
      'Keystone does not know the credentials of the contract, or a service does not take the token that Keystone has just given.',
    correction:
      'Correct `openstack.credentials` in the contract. Where a service refuses a new token: look at its `keystone_authtoken`, and at the clocks.',
  },
  OPENSTACK_FORBIDDEN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning: 'The user of `openstack.credentials` may not ask for this.',
    correction:
      'Give the user the role that the policy of the service asks for, in the project or, for Ironic, the system (`openstack.credentials.systemScope`).',
  },
  OPENSTACK_ENDPOINT_MISSING: {
    faultDomain: 'openstack',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The catalogue of Keystone has no endpoint of a service, in the region and interface of the contract.',
    correction:
      'Register the endpoint (openstack endpoint create), or correct `openstack.region` or `openstack.interface` in the contract.',
  },
  OPENSTACK_UNAVAILABLE: {
    faultDomain: 'openstack',
    retryable: true,
    httpStatus: 503,
    meaning:
      'A service of the cloud answers that it cannot serve the request now, or with an error of its own.',
    correction: "Look at the service's log; most often its database or its message queue does not answer it.",
  },
  OPENSTACK_REFUSED: {
    faultDomain: 'openstack',
    retryable: false,
    httpStatus: 502,
    meaning: 'A service of the cloud refuses the request.',
    correction: 'Read what the service says in the message.',
  },
  OPENSTACK_COMMAND_FAILED: {
    faultDomain: 'openstack',
    retryable: true,
    httpStatus: 502,
    meaning:
      'A command by which a service tells the state of its database came to an end that tells nothing.',
    correction:
      'Run the command by hand where `openstack.commands` says: the program, its configuration or its database is not to be had there.',
  },
  OPENSTACK_ANSWER_INVALID: {
    faultDomain: 'openstack',
    retryable: true,
    httpStatus: 502,
    meaning: 'What answers at an endpoint of the cloud is not what its API promises.',
    correction: 'Check the endpoint that the message names, and what stands in front of it.',
  },
} as const satisfies Record<string, CatalogueEntry>;

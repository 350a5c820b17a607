import type { CatalogueEntry } from './entry.ts';

/** Codes of hosts that are logged in to by SSH, and of vantage points on them. */
export const SSH_ERRORS = {
  SSH_UNREACHABLE: {
    faultDomain: 'management-network',
    retryable: true,
    httpStatus: 504,
    meaning: 'A host that commands are run on cannot be reached by SSH from the worker.',
    correction: 'Check `host` and `port` of its `ssh`, the route, and the firewalls from the worker to it.',
  },
  SSH_REFUSED: {
    faultDomain: 'control-host',
    retryable: true,
    httpStatus: 502,
    meaning: 'A host refuses SSH: it is up, and no SSH server listens on that port.',
    correction: 'Start sshd on the host, or correct `port` of its `ssh`.',
  },
  SSH_HANDSHAKE_FAILED: {
    faultDomain: 'control-host',
    retryable: true,
    httpStatus: 502,
    meaning: 'Something accepts the connection and does not speak SSH to the end: it is silent, or hangs up.',
    correction:
      'Look at the log of sshd on the host (load, MaxStartups, algorithms), and whether `port` is that of sshd.',
  },
  SSH_AUTH_FAILED: {
    faultDomain: 'control-host',
    retryable: false,
    httpStatus: 502,
    meaning: 'A host does not take the key for the user that the contract names.',
    correction:
      'Add the public key to `authorized_keys` of `user` on the host, or correct `user` or `key`; a key with a passphrase cannot be used.',
  },
  SSH_KEY_UNUSABLE: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'What `key` refers to is no private key that OpenSSH reads.',
    correction: 'Let `key` refer to a whole private key without a passphrase, as ssh-keygen makes it.',
  },
  SSH_HOST_KEY_UNKNOWN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 502,
    meaning:
      'The contract names no `hostKey` for a host, and the `known_hosts` of the worker does not have it. Nothing was sent.',
    correction:
      'Run `ssh-keyscan -t ed25519 HOST`, compare it on the host, and write type and key into `hostKey` of its `ssh`.',
  },
  SSH_HOST_KEY_MISMATCH: {
    faultDomain: 'control-host',
    retryable: false,
    httpStatus: 502,
    meaning: 'A host shows another key than the one that is known of it. Nothing was sent.',
    correction:
      'Find out whether the host was installed anew or another one answers; only then correct `hostKey`.',
  },
  SSH_COMMAND_TIMEOUT: {
    faultDomain: 'control-host',
    retryable: true,
    httpStatus: 504,
    meaning:
      'A command on a host did not end in time. It was ended there, as far as the user who is logged in may do that.',
    correction: 'Look at the load of the host, and at what the command waits for.',
  },
  SSH_OUTPUT_TOO_LONG: {
    faultDomain: 'control-host',
    retryable: false,
    httpStatus: 502,
    meaning:
      'A host, or a command on it, said more than is read. It was ended there, as far as the user who is logged in may do that.',
    correction:
      'Log in as that user and run a command: its shell may print to it (look at its profile), or the host is not what it should be.',
  },
  SSH_COMMAND_KILLED: {
    faultDomain: 'control-host',
    retryable: true,
    httpStatus: 502,
    meaning: 'A command on a host was ended by a signal.',
    correction: 'Look at the log of the kernel on the host: it may be out of memory.',
  },
  SSH_CONNECTION_LOST: {
    faultDomain: 'management-network',
    retryable: true,
    httpStatus: 502,
    meaning: 'The connection to a host was lost while a command ran.',
    correction: 'Look whether the host restarted, and at the network between it and the worker.',
  },
  SSH_PROGRAM_MISSING: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 500,
    meaning: "There is no `ssh` on the worker, OpenSSH's client, with which hosts are logged in to.",
    correction: 'Install openssh-client on the machine that the worker of the site runs on.',
  },
  VANTAGE_UNUSABLE: {
    faultDomain: 'control-host',
    retryable: false,
    httpStatus: 502,
    meaning:
      'No connection can be tried from where it is to be, a vantage point, a controller or the worker: it lacks what they are tried with, does not say how they went, or something of its own keeps them from leaving it.',
    correction:
      'Install bash and coreutils (`timeout`) on that host, or name another vantage point in `from`.',
  },
} as const satisfies Record<string, CatalogueEntry>;

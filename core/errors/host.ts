import type { CatalogueEntry } from './entry.ts';

/** Codes of what could not be told of a host that was logged in to. */
export const HOST_ERRORS = {
  HOST_ANSWER_INVALID: {
    faultDomain: 'control-host',
    retryable: false,
    httpStatus: 502,
    meaning: 'A host lacks a command that it is asked with, or what the command says cannot be read.',
    correction: 'Install what the message names on the host, and look at what was answered, in the evidence.',
  },
  HOST_RESOLVER_SILENT: {
    faultDomain: 'control-host',
    retryable: true,
    httpStatus: 504,
    meaning: 'A host takes so long to look up a name that its DNS server is not answering.',
    correction: 'Look at the servers in /etc/resolv.conf of the host, and whether it reaches them.',
  },
  HOST_NAME_UNRESOLVED: {
    faultDomain: 'control-host',
    retryable: true,
    httpStatus: 502,
    meaning:
      'What a host has to reach is named, and the host finds no address for that name: whether it reaches it was not tried.',
    correction:
      'Run `getent ahosts NAME` on the host: look at the servers in its /etc/resolv.conf, or correct the name in the contract.',
  },
  HOST_ROUTE_SILENT: {
    faultDomain: 'management-network',
    retryable: true,
    httpStatus: 504,
    meaning:
      'What a host has to reach neither accepts nor refuses: it is down, or something between the two drops the packets.',
    correction: 'Look whether the target is up, and at the firewalls and routes from the host to it.',
  },
  HOST_CLOCK_UNSURE: {
    faultDomain: 'control-host',
    retryable: true,
    httpStatus: 504,
    meaning: 'The way to a host and back takes so long that the difference of its clock cannot be told.',
    correction:
      'Look at the load of host and worker; where the way is that long, set `acceptance.clockDifference` to what is needed.',
  },
} as const satisfies Record<string, CatalogueEntry>;

import type { CatalogueEntry } from './entry.ts';

/** Codes with which the gateway answers agents, BMCs and guests. */
export const GATEWAY_ERRORS = {
  TOKEN_INVALID: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 403,
    meaning: 'The token in the URL is damaged or forged, or opens another door.',
    correction: 'Use the URL as it was handed out; look for the sender if it was never handed out.',
  },
  TOKEN_EXPIRED: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 410,
    meaning: 'The token has expired, or belongs to an earlier boot of the deploy agent.',
    correction: 'Nothing for the caller to do; resume the operation, which makes new tokens.',
  },
  OPERATION_OVER: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 410,
    meaning: 'The operation that the token belongs to is over.',
    correction: 'Power the node off if it still runs a deploy agent: a clean-up may have failed.',
  },
  MEDIA_CLOSED: {
    faultDomain: 'media-publisher',
    retryable: false,
    httpStatus: 410,
    meaning: 'The deploy media was given out until its agent had looked itself up, and is closed now.',
    correction: 'Nothing for the caller to do; a new boot of the agent gets a new URL.',
  },
  MEDIA_CLIENT_REFUSED: {
    faultDomain: 'management-network',
    retryable: false,
    httpStatus: 403,
    meaning: 'The deploy media was asked for from an address that is not that of the BMC.',
    correction:
      'If the BMC stands behind NAT, say `nat: true` on its management network in the contract; else find the caller.',
  },
  GATEWAY_UNAVAILABLE: {
    faultDomain: 'orchestrator',
    retryable: true,
    httpStatus: 503,
    meaning: 'The gateway cannot reach the orchestrator or a worker now.',
    correction: 'See whether Temporal and a worker run; callers ask again by themselves.',
  },
  AGENT_TOKEN_WRONG: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 401,
    meaning: 'A heartbeat does not carry the token that the agent was given at its lookup.',
    correction: 'Resume from `boot-agent`; find out who sent it if the node runs no agent of ours.',
  },
  CALLBACK_REFUSED: {
    faultDomain: 'provisioning-network',
    retryable: false,
    httpStatus: 403,
    meaning:
      'The callback URL of a heartbeat is not https, not on the provisioning network, or not where it came from.',
    correction:
      'Correct the `cidr` of the provisioning network, or say `nat: true` on it where agents are seen with another address.',
  },
  AGENT_CHANGED: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 403,
    meaning: 'A heartbeat names another callback URL or another certificate than the first one of this boot.',
    correction: 'Look for a second agent with the same token; resume from `boot-agent`.',
  },
  REQUEST_INVALID: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 400,
    meaning: 'The request cannot be read: a field is missing or malformed.',
    correction: 'Send what the message names.',
  },
  REQUEST_TOO_LARGE: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 413,
    meaning: 'The body of the request is larger than is allowed here.',
    correction: 'Send less: first-boot reports and heartbeats are small.',
  },
  ROUTE_UNKNOWN: {
    faultDomain: 'deploy-agent',
    retryable: false,
    httpStatus: 404,
    meaning: 'There is nothing at this path.',
    correction: 'Use the URL as it was handed out.',
  },
  RATE_LIMITED: {
    faultDomain: 'deploy-agent',
    retryable: true,
    httpStatus: 429,
    meaning: 'Too many requests with this token.',
    correction: 'Wait for as long as Retry-After says.',
  },
  RANGE_UNSATISFIABLE: {
    faultDomain: 'media-publisher',
    retryable: false,
    httpStatus: 416,
    meaning: 'The range lies behind the end of the file.',
    correction: 'Ask for the size first.',
  },
} as const satisfies Record<string, CatalogueEntry>;

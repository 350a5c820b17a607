import type { CatalogueEntry } from './entry.ts';

/** Codes of acceptance runs. Which check it was stands beside the code, with what was found and what corrects it. */
export const ACCEPTANCE_ERRORS = {
  CHECK_FAILED: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 409,
    meaning: 'A check of a gate found something that is not what the contract says.',
    correction: 'Correct what the finding names, in the place that it names, and `resume` the run.',
  },
  CHECK_TIMEOUT: {
    faultDomain: 'orchestrator',
    retryable: true,
    httpStatus: 504,
    meaning: 'A check did not come to an end in its time: it neither passed nor failed.',
    correction: 'Look whether what it asks answers slowly, and `resume` the run.',
  },
  CHECK_NO_RESULT: {
    faultDomain: 'orchestrator',
    retryable: true,
    httpStatus: 500,
    meaning: 'A check was to run and left no result: a missing result is an error, never a pass.',
    correction: '`resume` the run; if it happens again, look into the log of the worker.',
  },
  CHECK_NOT_MADE: {
    faultDomain: 'orchestrator',
    retryable: true,
    httpStatus: 409,
    meaning: 'A check was not made, since one that it builds on did not pass.',
    correction: 'Correct what that one found, and `resume` the run.',
  },
  GATE_NOT_SUPPORTED: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 501,
    meaning: 'The run asks for a gate whose checks this version does not have.',
    correction:
      'Name the gates that it has, as the message lists them: `gates` in `acceptance`, or `--gates`.',
  },
  RUN_UNKNOWN: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 404,
    meaning: 'There is no acceptance run of this id on the site.',
    correction: 'Look at `rackwright acceptance list` for the runs that there are.',
  },
  RUN_EXISTS: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 409,
    meaning: 'An acceptance run of this id was started before.',
    correction: 'Leave `--run-id` out, or give one that is new.',
  },
  EVIDENCE_OUTDATED: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 409,
    meaning: 'The evidence of the other run does not hold any more: the contract or the hardware is another.',
    correction: 'Start a run without `from` and `of`: all gates run.',
  },
  SIGNING_KEY_INVALID: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning:
      'The key that acceptance runs are to be signed with cannot be used: no PKCS#8 PEM, or neither Ed25519 nor P-256.',
    correction:
      'Make one with `openssl genpkey -algorithm ed25519 -out signing.pem`, and let `acceptance.signingKey` name it.',
  },
  REPORT_UNSIGNED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 409,
    meaning: 'There is no signed statement about the run: its report says why.',
    correction: 'Name a key in the contract as `acceptance.signingKey`, and run the gates again.',
  },
} as const satisfies Record<string, CatalogueEntry>;

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
  RUN_IN_PROGRESS: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 409,
    meaning: 'Another acceptance run of the site is under way, and two never overlap.',
    correction: 'Wait for the run that the message names, or `abort` it, and start this one again.',
  },
  GATES_NOT_GREEN: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The contract lets nodes be enrolled and deployed only while gates are green, and one of them is not.',
    correction: 'Run the gates that the message names, and ask again when they have passed.',
  },
  WEBHOOK_FAILED: {
    faultDomain: 'contract',
    retryable: true,
    httpStatus: 502,
    meaning:
      'A change of verdict could not be told to the webhook of the contract. The verdict itself stands.',
    correction: 'Look whether `acceptance.webhook.url` is right, and answers POST with a 2xx.',
  },
  SCHEDULE_UNKNOWN: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 404,
    meaning: 'The site has no nightly schedule.',
    correction: 'Add `nightly` to the contract, and `rackwright schedule apply`.',
  },
  SCHEDULE_REFUSED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 422,
    meaning: 'Temporal does not take the schedule of the contract.',
    correction: 'Correct `nightly.schedule`: five cron fields, as in `30 2 * * *`.',
  },
  EVIDENCE_OUTDATED: {
    faultDomain: 'orchestrator',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The evidence of the other run does not hold any more: the contract or the hardware is another, a check that is to be made was not made then, or a piece is gone.',
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
  HTTP_UNANSWERED: {
    faultDomain: 'management-network',
    retryable: true,
    httpStatus: 502,
    meaning:
      'An address of the contract that is asked by HTTP gives no answer, or one that says nothing of what is behind it.',
    correction:
      'Look at the server that the message names, at its certificate and at the way to it; then resume.',
  },
  REPORT_UNSIGNED: {
    faultDomain: 'contract',
    retryable: false,
    httpStatus: 409,
    meaning: 'There is no signed statement about the run: its report says why.',
    correction:
      'Name a key in the contract as `acceptance.signingKey`, one that its report does not complain of, and run the gates again.',
  },
} as const satisfies Record<string, CatalogueEntry>;

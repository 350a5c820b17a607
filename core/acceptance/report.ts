import type { Failure } from '../errors/failure.ts';
import type { EvidenceRef, Outcome } from '../operations.ts';
import type { Check } from './check.ts';
import type { GateNumber } from './gates.ts';

/**
 * How a check or a gate ended. `fail`: the cause is known. `error`: it could not be told. `skipped`: the contract
 * says that there is nothing of the kind.
 */
export const CHECK_OUTCOMES = ['pass', 'fail', 'error', 'skipped'] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/** `held-back`: an earlier gate is not green. */
export type RunState = 'pending' | 'running' | 'done' | 'held-back';

/** One thing that was found wrong; what is wrong with the first of a check is the check's failure. */
export interface CheckFinding {
  /** What it is about: a controller, a node, an image, a pod. */
  readonly target: string;
  readonly failure: Failure;
}

/** What an activity `gates.<check>` returns. An exception is an error: it could not be told. */
export interface CheckResult {
  readonly outcome: 'pass' | 'fail' | 'error' | 'skipped';
  /** One line for people; for `skipped`, the reason. */
  readonly summary: string;
  /** For `fail` and `error`: what is wrong, the worst first; at most ten. */
  readonly findings: readonly CheckFinding[];
  /** How many targets were looked at. */
  readonly targets: number;
  readonly evidence: readonly EvidenceRef[];
}

/** One row of a gate. Times are ISO 8601. */
export interface CheckReport {
  readonly id: string;
  readonly title: string;
  readonly state: RunState;
  /** Where it is made from. */
  readonly from: string;
  readonly outcome?: CheckOutcome;
  readonly summary?: string;
  readonly findings?: readonly CheckFinding[];
  readonly targets?: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly evidence?: readonly EvidenceRef[];
  /** Ids of NVIDIA's requirements that a pass of it is evidence for. */
  readonly requirements?: readonly string[];
}

export interface GateReport {
  readonly gate: GateNumber;
  readonly id: string;
  readonly title: string;
  readonly owner: string;
  readonly state: RunState;
  readonly outcome?: CheckOutcome;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** How often it ran in this run. */
  readonly runs: number;
  /** Set where its evidence is of an earlier time: of another run, or from before a gate ran again. */
  readonly kept?: { readonly runId: string; readonly endedAt: string };
  /** Why none of its checks was made: it was no time for it. Nothing is known of it by this run. */
  readonly leftOut?: string;
  readonly checks: readonly CheckReport[];
}

/** What starts workflow `acceptance`, parsed. */
export interface AcceptanceInput {
  readonly site: string;
  readonly runId: string;
  /** The gates that are wanted; else those of the contract, else all. */
  readonly gates?: readonly GateNumber[];
  readonly onFailure?: 'hold' | 'fail';
  /**
   * What it does while another run of the site is under way: it ends at once, or waits for one that goes on by
   * itself.
   *
   * @default refuse
   */
  readonly whenBusy?: 'refuse' | 'wait';
  /** Begin at this gate, with the evidence of run `of` for those before it. */
  readonly from?: GateNumber;
  readonly of?: string;
  readonly reason?: string;
}

/** A check as the contract has it: run from somewhere, or skipped with a reason. */
export interface PlannedCheck extends Omit<Check, 'gate' | 'shows' | 'faultDomain'> {
  readonly skipped?: string;
}

export interface PlannedGate {
  readonly gate: GateNumber;
  readonly checks: readonly PlannedCheck[];
  /** The gate as another run left it, where its evidence is used again. */
  readonly kept?: GateReport;
}

/** What activity `openAcceptance` returns. */
export interface OpenedAcceptance {
  readonly contractHash: string;
  /** Of what the controllers and nodes are: evidence is used again only where it is the same. */
  readonly fingerprint: string;
  readonly gates: readonly PlannedGate[];
  readonly onFailure: 'hold' | 'fail';
  readonly holdForSeconds: number;
}

/** What an update of a run returns at once. */
export interface RunTicket {
  readonly runId: string;
  readonly workflowId: string;
}

/** Input of each check's activity. */
export interface CheckInput {
  readonly site: string;
  readonly runId: string;
  readonly contractHash: string;
  readonly gate: GateNumber;
  readonly check: string;
  /** Counts the runs of the gate: evidence of one does not replace that of another. */
  readonly run: number;
}

export const SIGNATURE_ALGORITHMS = ['ed25519', 'ecdsa-p256'] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** Whether what a run leaves is signed, and with which key; else why it is not. */
export type Signature =
  | { readonly signed: true; readonly keyId: string; readonly algorithm: SignatureAlgorithm }
  | { readonly signed: false; readonly why: string };

/** What activity `closeAcceptance` returns. */
export interface ClosedAcceptance {
  readonly evidence: readonly EvidenceRef[];
  readonly signature: Signature;
}

/** The state of a run (query `report`) and, once `outcome` is set, its result. */
export interface AcceptanceReport {
  readonly site: string;
  readonly runId: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly held: boolean;
  readonly outcome?: Outcome;
  /** Of the check that stopped it, the first one. */
  readonly failure?: Failure;
  /** The gate that is not green. */
  readonly stoppedAt?: GateNumber;
  readonly gates: readonly GateReport[];
  /** Remarks of the run itself, newest last. */
  readonly notes: readonly string[];
  readonly contractHash?: string;
  readonly fingerprint?: string;
  readonly evidence: readonly EvidenceRef[];
  /** Once it is over. */
  readonly signature?: Signature;
}

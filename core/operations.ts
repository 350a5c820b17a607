import type { ErrorCode } from './errors/catalogue.ts';
import type { Failure } from './errors/failure.ts';
import type { JsonObject } from './json.ts';
import type { Flag, Phase, StablePhase } from './phases.ts';
import type { Fact, Residue, Step } from './steps.ts';
import type { OperationKind } from './verbs.ts';

/** How an operation or a run ends. `fail`: the cause is known. `error`: it could not be told. */
export const OUTCOMES = ['pass', 'fail', 'error', 'aborted'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * How a failure with this code ends an operation. Where what was to be told could not be looked at, because it was
 * not known what happened, or its vantage point could not be used, that is no failure of what was to be looked at.
 */
export const outcomeOf = (code: ErrorCode): 'fail' | 'error' =>
  code === 'UNEXPECTED' || code === 'STEP_TIMEOUT' || code === 'VANTAGE_UNUSABLE' || code.startsWith('SSH_')
    ? 'error'
    : 'fail';

export type OnFailure = 'hold' | 'fail';
/** How a request came in; it decides what a failure does when the request does not say. */
export type Source = 'signal' | 'update' | 'schedule' | 'internal';

/** What an update of a node returns at once. */
export interface Ticket {
  readonly operationId: string;
  readonly workflowId: string;
}

/** A pointer to a stored piece of evidence. */
export interface EvidenceRef {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** What a node was when its operation began. */
export interface NodeSnapshot {
  readonly phase: Phase;
  readonly returnTo: StablePhase | null;
  readonly owner: string | null;
  readonly image: string | null;
}

/** Input of workflow `operation`. Never started by hand: the entity starts it. */
export interface OperationInput {
  readonly site: string;
  readonly node: string;
  readonly requestId: string;
  readonly kind: OperationKind;
  readonly args: JsonObject;
  readonly source: Source;
  readonly snapshot: NodeSnapshot;
  /** The record's generation that this operation may write under. */
  readonly generation: number;
  readonly onFailure?: OnFailure;
  readonly deadlineSeconds?: number;
  /** What the node still has of earlier operations. A clean-up removes it, any other one carries it on. */
  readonly residue: readonly Residue[];
  /** Set when the node refused the request: the operation ends at once and says so. */
  readonly refusal?: Failure;
  /** Set for `cleanup`: what left something behind; if it was lost, all that its kind may leave is removed. */
  readonly cleanup?: { readonly kind: OperationKind; readonly lost: boolean };
}

/** Who is acting: what every step gets and every call-back token carries. */
export interface OperationRef {
  readonly site: string;
  readonly node: string;
  readonly requestId: string;
  readonly kind: OperationKind;
  readonly generation: number;
  /** The stored version of the contract that this operation runs under. */
  readonly contractHash: string;
}

/** What the deploy agent told us of itself. Nothing here is secret. */
export interface AgentContact {
  readonly callbackUrl: string;
  /** PEM of the agent's own certificate: the whole trust anchor for calls to it. */
  readonly certificate: string;
  readonly version: string;
}

/** What activity `openOperation` returns: everything the workflow needs to run the plan as data. */
export interface OpenedOperation {
  readonly ref: OperationRef;
  readonly driver: string;
  readonly steps: readonly Step[];
  /** Facts that can be asked of the world; the others are remembered by the operation. */
  readonly observed: readonly Fact[];
  /** For `cleanup`: what to remove. */
  readonly residue: readonly Residue[];
  readonly onFailure: OnFailure;
  readonly holdForSeconds: number;
  readonly onHold: 'safe' | 'leave';
  readonly deadlineSeconds: number;
  readonly supports: readonly OperationKind[];
  readonly retired: boolean;
}

/** Tokens are derived from this, in activities and in the gateway; it is not secret itself. */
export interface TokenWindow {
  /** Counts the boots of the deploy agent within the operation. */
  readonly epoch: number;
  /** Unix seconds after which nothing derived from this window is accepted. */
  readonly expires: number;
}

/** Input of every step's activity. */
export interface StepInput {
  readonly ref: OperationRef;
  readonly step: string;
  readonly args: JsonObject;
  readonly snapshot: NodeSnapshot;
  /** What earlier steps of this operation found; small. */
  readonly data: JsonObject;
  readonly window: TokenWindow;
  readonly agent: AgentContact | null;
  /** What the guest reported of itself, once it did. */
  readonly firstBoot: JsonObject | null;
  /** 1, and one more with each resume: evidence of one stretch does not replace that of another. @default 1 */
  readonly stretch?: number;
}

/** What a step found. `summary` is one line for people; `data` is kept for later steps. */
export interface StepOutput {
  readonly summary: string;
  readonly data?: JsonObject;
  readonly evidence?: readonly EvidenceRef[];
}

/** What is known of a node at the moment of a failure. */
export interface Captured {
  readonly evidence: readonly EvidenceRef[];
  readonly data?: JsonObject;
  /** What else may be the cause. */
  readonly hint?: string;
  /** The last words of the machine's console, or why it could not be read; left out where there is none. */
  readonly console?: { readonly last: readonly string[] } | { readonly unread: string };
}

export type StepState = 'pending' | 'running' | 'waiting' | 'done' | 'skipped' | 'failed';

/** One row of an operation's table of steps. Times are ISO 8601. */
export interface StepReport {
  readonly id: string;
  readonly title: string;
  readonly state: StepState;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly summary?: string;
  readonly failure?: Failure;
  readonly evidence?: readonly EvidenceRef[];
}

/** The state of an operation (query `progress`) and, once `outcome` is set, its result. */
export interface OperationReport {
  readonly site: string;
  readonly node: string;
  readonly requestId: string;
  readonly kind: OperationKind;
  readonly phase: Phase;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly held: boolean;
  readonly outcome?: Outcome;
  readonly failure?: Failure;
  readonly steps: readonly StepReport[];
  /** Remarks of the operation itself, newest last. */
  readonly notes: readonly string[];
  readonly residue: readonly Residue[];
  readonly contractHash?: string;
  readonly evidence: readonly EvidenceRef[];
  readonly data: JsonObject;
}

/** What an operation tells its node, by signal `operation`. */
export type OperationEvent =
  | {
      readonly type: 'progress';
      readonly requestId: string;
      readonly phase: Phase;
      readonly step: string | null;
    }
  | { readonly type: 'held'; readonly requestId: string; readonly phase: Phase; readonly failure: Failure }
  | { readonly type: 'ended'; readonly requestId: string; readonly end: OperationEnd };

/** The part of a result that changes the node. */
export interface OperationEnd {
  readonly outcome: Outcome;
  readonly phase: Phase;
  readonly failure?: Failure;
  readonly residue: readonly Residue[];
  readonly power?: 'on' | 'off' | 'unknown';
  readonly health?: string;
  readonly drift?: boolean;
  /** What drifted, for people. */
  readonly drifted?: string;
  readonly supports?: readonly OperationKind[];
  readonly retired?: boolean;
}

/** Signals and updates between the gateway and an operation. */
export interface AgentLookup {
  readonly epoch: number;
  readonly macs: readonly string[];
}
export interface AgentHeartbeat extends AgentContact {
  readonly epoch: number;
}

/** What the gateway asks before it serves anything: query `access`. */
export interface GatewayAccess {
  readonly ref: OperationRef | null;
  readonly window: TokenWindow;
  /** Whether boot media is still to be served (until the agent has looked itself up). */
  readonly mediaOpen: boolean;
  /** Whether the agent's first heartbeat was accepted: from then on its token is not told again. */
  readonly agentHeard: boolean;
  readonly callbackUrl: string | null;
  readonly certificate: string | null;
  readonly firstBootOpen: boolean;
  /** Whether the guest's report was accepted: the same guest telling it again is no news. */
  readonly firstBootHeard: boolean;
  /** Step data that the gateway needs, such as the image being written. */
  readonly args: JsonObject;
}

export type FlagState = { readonly [F in Exclude<Flag, 'held' | 'residue'>]: string | null };

import type {
  AcceptanceInput,
  AcceptanceReport,
  ClosedAcceptance,
  OpenedAcceptance,
} from './acceptance/report.ts';
import type { GateStanding, RunEnd, SiteVerdict } from './acceptance/standing.ts';
import type { VerdictMessage } from './acceptance/verdict-message.ts';
import type { JsonObject } from './json.ts';
import type { NodeRecord } from './node.ts';
import type {
  EvidenceRef,
  OpenedOperation,
  OperationEnd,
  OperationInput,
  OperationReport,
} from './operations.ts';
import type { OperationKind } from './verbs.ts';

/** What is known of a node outside Temporal when its entity begins. */
export interface LoadedNode {
  /** The stored record, or null for a node that has none. */
  readonly record: NodeRecord | null;
  /** False when the contract does not name the node: only its record is known. */
  readonly known: boolean;
  readonly retired: boolean;
  readonly supports: readonly OperationKind[];
}

/** How a write of the record ended: done, or refused since another one is stored; null where none is any more. */
export type SavedNode =
  { readonly written: true } | { readonly written: false; readonly stored: NodeRecord | null };

/** What there is under an operation's id, and which request it stands for. */
export interface FoundOperation {
  readonly status: 'running' | 'closed' | 'none';
  readonly fingerprint: string | null;
}

/** What became of an operation's workflow. */
export type WatchedOperation =
  { readonly status: 'ended'; readonly end: OperationEnd } | { readonly status: 'lost' };

/** What came of keeping the verdict of a run. */
export interface KeptVerdict {
  /** The verdict on the site, if this run changed it. */
  readonly changed: SiteVerdict | null;
  /** The one that the contract's webhook does not have yet: of this run, or of one whose message was lost. */
  readonly untold: SiteVerdict | null;
}

/** The activities that every site has, whatever its drivers. */
export interface SiteActivities {
  /** Reads the node's record and what the contract says of it. */
  loadNode(input: { site: string; node: string }): Promise<LoadedNode>;
  /** Writes the record under its generation if the stored one is the generation before it. */
  saveNode(input: { record: NodeRecord }): Promise<SavedNode>;
  /** Waits ("not yet") until the operation's workflow is closed, and tells how. */
  watchOperation(input: { site: string; node: string; requestId: string }): Promise<WatchedOperation>;
  /** Looks once. */
  findOperation(input: { site: string; node: string; requestId: string }): Promise<FoundOperation>;
  /** Watches the nodes until an hour is over or the worker stops. */
  watchNodes(input: { site: string }): Promise<void>;
  /** Answers as soon as a worker of the site is there. */
  awaitWorker(input: { site: string }): Promise<void>;
  /** Stores the contract by its hash and makes the plan. Fails with a typed failure of the contract. */
  openOperation(input: OperationInput): Promise<OpenedOperation>;
  /** Keeps the final report as evidence and deletes the secret inputs of the request. */
  closeOperation(input: { report: OperationReport; args: JsonObject }): Promise<EvidenceRef[]>;
  /** Stores the contract and makes the gates and checks of a run. Fails with a typed failure of the contract. */
  openAcceptance(input: AcceptanceInput): Promise<OpenedAcceptance>;
  /** Whether the contract lets what is disruptive be done now; else why not. */
  maintenanceWindow(input: { site: string; contractHash: string }): Promise<{ closed: string | null }>;
  /** Keeps how a gate came out, for what depends on green gates. */
  keepGate(input: { site: string; gate: Omit<GateStanding, 'since'> }): Promise<void>;
  /** Lets go of the site at the end of a run, and keeps what is to be thought of it. */
  keepVerdict(input: { site: string; end: RunEnd; contractHash?: string }): Promise<KeptVerdict>;
  /** Tells the contract's webhook of a change of verdict. */
  tellVerdict(input: { message: VerdictMessage; contractHash?: string }): Promise<void>;
  /** Keeps the final report of a run as evidence, and signs what the run left if the contract names a key. */
  closeAcceptance(input: { report: AcceptanceReport }): Promise<ClosedAcceptance>;
}

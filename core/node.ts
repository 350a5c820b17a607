import type { Failure } from './errors/failure.ts';
import type { JsonObject } from './json.ts';
import type { FlagState, NodeSnapshot, Outcome } from './operations.ts';
import type { Flag, Phase, StablePhase } from './phases.ts';
import type { Residue } from './steps.ts';
import type { OperationKind } from './verbs.ts';

/** Whose data may be on the disks. It decides who may be given the node next. */
export type Resident =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'owner'; readonly owner: string | null };

/** The operation that a node is busy with. */
export interface CurrentOperation {
  readonly requestId: string;
  readonly kind: OperationKind;
  readonly args: JsonObject;
  readonly held: boolean;
  readonly step: string | null;
  readonly failure: Failure | null;
  /** For `cleanup`: the kind of the operation that ended without a verdict. */
  readonly cleans?: OperationKind;
}

/** A request that was accepted, kept so that its repetition is recognised. Newest last. */
export interface RecentRequest {
  readonly requestId: string;
  readonly kind: OperationKind;
  readonly fingerprint: string;
  readonly outcome: Outcome | null;
}

/** Power that no operation of ours changed: by someone else, or by the server itself. */
export interface PowerChange {
  readonly from: 'on' | 'off';
  readonly to: 'on' | 'off';
  readonly at: string;
  readonly by: 'outside';
}

/** Since when the node's BMC cannot be read, and why not. */
export interface Unreachable {
  readonly since: string;
  readonly why: string;
}

/** One thing that the watch saw change. */
export interface SeenChange {
  readonly at: string;
  readonly what: 'power' | 'health' | 'reachable';
  readonly from: string;
  readonly to: string;
}

/** Everything that is known of a node; also its record outside Temporal. */
export interface NodeRecord {
  readonly site: string;
  readonly node: string;
  /** Grows with every write of the record; fences operations that were forgotten. */
  readonly generation: number;
  readonly phase: Phase;
  /** Where `inspect` and `service` came from. */
  readonly returnTo: StablePhase | null;
  readonly owner: string | null;
  readonly image: string | null;
  readonly resident: Resident;
  readonly flags: FlagState;
  readonly residue: readonly Residue[];
  readonly operation: CurrentOperation | null;
  readonly recent: readonly RecentRequest[];
  /** As it was last told; `powerOf` says whether that still holds. */
  readonly power: 'on' | 'off' | 'unknown';
  readonly health: string;
  /** Set while the power is what no operation of ours made it. Left out, as the two below, by older records. */
  readonly powerChange?: PowerChange | null;
  /** Set while its BMC cannot be read: then power and health are not known. */
  readonly unreachable?: Unreachable | null;
  /** What the watch saw change, newest last. */
  readonly changes?: readonly SeenChange[];
  readonly lastFailure: Failure | null;
  /** From the contract: such a node stops at manageable. */
  readonly retired: boolean;
  /** What its driver can do. */
  readonly supports: readonly OperationKind[];
}

/** A node that nothing is known of yet. */
export const newNode = (site: string, node: string): NodeRecord => ({
  site,
  node,
  generation: 0,
  phase: 'enrolled',
  returnTo: null,
  owner: null,
  image: null,
  resident: { kind: 'unknown' },
  flags: { maintenance: null, quarantined: null, drift: null },
  residue: [],
  operation: null,
  recent: [],
  power: 'unknown',
  health: 'unknown',
  lastFailure: null,
  retired: false,
  supports: [],
});

/** What stands for an owner where there is none: no owner can be called so. */
export const NO_OWNER = 'no owner';

/** The flags that are up, in the order of the list. */
export function flagsOf(node: NodeRecord): Flag[] {
  const up: Flag[] = [];
  if (node.operation?.held) up.push('held');
  if (node.flags.maintenance !== null) up.push('maintenance');
  if (node.flags.quarantined !== null) up.push('quarantined');
  if (node.flags.drift !== null) up.push('drift');
  if (node.residue.length > 0) up.push('residue');
  return up;
}

/** Kinds of operations that leave the power as it is. */
const LEAVES_POWER: readonly OperationKind[] = ['enroll', 'inspect', 'adopt'];
export const leavesPower = (kind: OperationKind): boolean => LEAVES_POWER.includes(kind);

/**
 * The power, where it is known: an operation under way, or held, may have changed it since it was last told, and of a
 * BMC that cannot be read nobody knows.
 */
export function powerOf({ power, operation, residue, unreachable }: NodeRecord): NodeRecord['power'] {
  const mayChange = operation !== null && !leavesPower(operation.kind);
  return mayChange || unreachable || residue.includes('power') ? 'unknown' : power;
}

/** The health, where it is known. */
export const healthOf = ({ health, unreachable }: NodeRecord): string => (unreachable ? 'unknown' : health);

/** What an operation needs to know of the node it starts on. */
export const snapshotOf = (node: NodeRecord): NodeSnapshot => ({
  phase: node.phase,
  returnTo: node.returnTo,
  owner: node.owner,
  image: node.image,
});

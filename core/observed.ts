import type { ErrorCode } from './errors/catalogue.ts';
import { boolean, oneOf, parseFields, pattern, required, type Field, type Parsed } from './fields.ts';
import { leavesPower, type CurrentOperation, type NodeRecord, type SeenChange } from './node.ts';
import type { OperationEnd, Outcome } from './operations.ts';

/** What the site's watch saw of a node: the argument of signal `observed`. Sent only where it is news. */
export interface Observed {
  /** The generation that the node's record had before the look: what is older than the node's own is ignored. */
  readonly generation: number;
  /** When it was seen; of a BMC that cannot be read, since when. */
  readonly at: string;
  /** Whether the BMC, or what stands for it, could be read. */
  readonly reachable: boolean;
  /** Left out where it was not told, or is changing. */
  readonly power?: 'on' | 'off';
  readonly health?: string;
  /** The catalogue's code of why it could not be read. */
  readonly why?: ErrorCode;
}

/** How many changes a node remembers. */
const CHANGES = 20;

const TIME = pattern(
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/,
  'a time in UTC such as 2026-03-01T10:00:00Z',
);

/** The fields of signal `observed`. */
export const OBSERVED_FIELDS: { readonly [name: string]: Field } = {
  generation: {
    expects: 'a whole number, not negative',
    required: true,
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  },
  at: required(TIME),
  reachable: required(boolean),
  power: oneOf('on', 'off'),
  health: pattern(/^\P{Cc}{1,300}$/u, 'a line of 1 to 300 characters'),
  why: pattern(/^[A-Z][A-Z0-9_]{1,62}$/, 'a code of the catalogue'),
};

/** Reads what claims to come from the watch. Total: the signal is open to anyone in the namespace. */
export const parseObserved = (input: unknown): Parsed<Observed> =>
  parseFields(input, OBSERVED_FIELDS) as Parsed<unknown> as Parsed<Observed>;

/**
 * The node once something was seen of it; undefined if that changes nothing. A look that began before the
 * node's newest record may be older than what the operation left that ended meanwhile: it is ignored, and so is
 * the power of a node that is operated on. The watch sees again what still differs.
 *
 * @param unwritten whether the node knows more than its record
 */
export function afterLook(node: NodeRecord, seen: Observed, unwritten: boolean): NodeRecord | undefined {
  if (unwritten || seen.generation < node.generation) return undefined;
  return seen.reachable ? read(node, seen) : silent(node, seen);
}

function silent(node: NodeRecord, { at, why = 'UNEXPECTED' }: Observed): NodeRecord | undefined {
  const { unreachable } = node;
  if (unreachable?.why === why) return undefined;
  const since = unreachable?.since ?? at;
  const from = unreachable?.why ?? 'yes';
  return remembering({ ...node, unreachable: { since, why } }, { at, what: 'reachable', from, to: why });
}

function read(node: NodeRecord, { at, power, health }: Observed): NodeRecord | undefined {
  let next = node;
  if (node.unreachable) {
    const change = { at, what: 'reachable', from: node.unreachable.why, to: 'yes' } as const;
    next = remembering({ ...next, unreachable: null }, change);
  }
  if (health !== undefined && health !== node.health) {
    next = remembering({ ...next, health }, { at, what: 'health', from: node.health, to: health });
  }
  if (power !== undefined && node.operation === null) next = powered(next, power, at);
  return next === node ? undefined : next;
}

/** The node with the power that was seen. Where another one was known, nobody here changed it. */
function powered(node: NodeRecord, to: 'on' | 'off', at: string): NodeRecord {
  const { power: from, residue } = node;
  if (from === to) return node;
  // Left behind by an operation: which power it has is not known until that is settled.
  if (from === 'unknown' || residue.includes('power')) return { ...node, power: to };
  const change = { at, what: 'power', from, to } as const;
  return remembering({ ...node, power: to, powerChange: { from, to, at, by: 'outside' } }, change);
}

const remembering = (node: NodeRecord, change: SeenChange): NodeRecord => ({
  ...node,
  changes: [...(node.changes ?? []), change].slice(-CHANGES),
});

/**
 * The node after an operation, as `ended` made it of `before`: one that set the power has answered for it, and one
 * that only looked may have been the first to see that somebody else changed it. One that passed has reached the BMC.
 */
export function afterOperation(
  before: NodeRecord,
  after: NodeRecord,
  { outcome, power }: OperationEnd,
  at: string,
): NodeRecord {
  const { operation } = before;
  const next = outcome === 'pass' && after.unreachable ? { ...after, unreachable: null } : after;
  if (operation === null) return next;
  if (leavesPower(operation.kind) && power !== undefined && power !== 'unknown') {
    return powered({ ...next, power: before.power }, power, at);
  }
  if (power === undefined && !maySwitch(operation, outcome)) return next;
  // What it does not tell is not known: what is seen next would be taken for somebody else's.
  const told = power === undefined ? { ...next, power: 'unknown' as const } : next;
  return told.powerChange ? { ...told, powerChange: null } : told;
}

/**
 * Whether an operation came so far that it may have switched the power. An inspection that passed and does not tell it
 * was Ironic's, which may boot its agent for that.
 */
function maySwitch({ kind, cleans, step }: CurrentOperation, outcome: Outcome): boolean {
  if (kind === 'cleanup') return cleans !== undefined && !leavesPower(cleans);
  return leavesPower(kind) ? outcome === 'pass' : step !== null;
}

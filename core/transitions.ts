import type { Decision } from './decide.ts';
import { failure, type Failure } from './errors/failure.ts';
import type { JsonObject } from './json.ts';
import { oneLine } from './markdown.ts';
import type { VerbRequest } from './messages.ts';
import { CLEANUP_PREFIX } from './names.ts';
import type { CurrentOperation, NodeRecord, RecentRequest } from './node.ts';
import type { OperationEnd, OperationReport } from './operations.ts';
import type { OperationKind } from './verbs.ts';

/** How many requests are remembered; older ones are caught by the operation's workflow id. */
const RECENT = 100;

/** The node once a request was accepted: working, busy, and its data claimed by the new owner. */
export function started(
  node: NodeRecord,
  request: VerbRequest,
  decision: Extract<Decision, { kind: 'start' }>,
): NodeRecord {
  const kind = request.verb as OperationKind;
  const deploying = kind === 'deploy';
  const owner = deploying ? ownerOf(request) : node.owner;
  return {
    ...node,
    phase: decision.phase,
    returnTo: decision.returnTo,
    owner,
    resident: deploying ? { kind: 'owner', owner } : node.resident,
    operation: {
      requestId: request.requestId,
      kind,
      args: request.args,
      held: false,
      step: null,
      failure: null,
    },
    recent: remember(node.recent, {
      requestId: request.requestId,
      kind,
      fingerprint: request.fingerprint,
      outcome: null,
    }),
    lastFailure: null,
  };
}

const ownerOf = (request: { readonly args: JsonObject }): string | null =>
  typeof request.args['owner'] === 'string' ? request.args['owner'] : null;

/** Clean-ups are forgotten first: a residue that stays for days must not push out what people asked for. */
function remember(recent: readonly RecentRequest[], entry: RecentRequest): RecentRequest[] {
  const all = [...recent, entry];
  if (all.length <= RECENT) return all;
  const oldest = recent.findIndex((r) => r.kind === 'cleanup');
  return all.filter((_, index) => index !== Math.max(0, oldest));
}

/** The node when the operation of a request could not be started, since the requestId was used long ago. */
export function notStarted(node: NodeRecord, before: NodeRecord): NodeRecord {
  const { phase, returnTo, owner, resident, operation, recent, lastFailure } = before;
  return { ...node, phase, returnTo, owner, resident, operation, recent, lastFailure };
}

const nextCleanup = (node: NodeRecord): string => `${CLEANUP_PREFIX}${node.generation + 1}`;

/** The node when its operation was lost: it can do nothing until the clean-up has ended. */
export function lost(node: NodeRecord, cleanupId = nextCleanup(node)): NodeRecord {
  const { requestId, kind, cleans } = node.operation!;
  const next = cleaningUp(
    {
      ...node,
      recent: node.recent.map((r) => (r.requestId === requestId ? { ...r, outcome: 'error' as const } : r)),
    },
    kind === 'cleanup' ? (cleans ?? kind) : kind,
    cleanupId,
  );
  return {
    ...next,
    lastFailure: failure(
      'OPERATION_LOST',
      `Operation ${requestId} (${kind}) ended without a verdict; ${next.operation!.requestId} cleans up.`,
    ),
  };
}

/** The node with a clean-up as its operation; `cleans` is the kind of operation that left something. */
export function cleaningUp(
  node: NodeRecord,
  cleans: OperationKind,
  requestId = nextCleanup(node),
): NodeRecord {
  return {
    ...node,
    operation: { requestId, kind: 'cleanup', args: {}, held: false, step: null, failure: null, cleans },
    recent: remember(node.recent, { requestId, kind: 'cleanup', fingerprint: '', outcome: null }),
  };
}

/** Steps of a service in which the host is switched off and on. */
const RESTARTS: ReadonlySet<string> = new Set(['update-firmware', 'restart', 'restore-power']);

/** What an operation's result changes of its node. */
export function endOf(report: OperationReport): OperationEnd {
  const { outcome, phase, residue, failure: f, data, steps } = report;
  const { power, health } = data;
  // A host that was asked to shut down may read as on, and go off in a moment.
  const cut = steps.some(
    ({ id, state, startedAt }) =>
      RESTARTS.has(id) && (state === 'skipped' || state === 'failed') && startedAt !== undefined,
  );
  const told = power === 'on' || power === 'off' ? power : undefined;
  const left = cut && report.kind === 'service' ? 'unknown' : told;
  // A node that a service left otherwise than it found it has drifted, whatever the operation ends with.
  const changed = steps.find(({ state, failure: why }) => state === 'failed' && why?.code === 'NODE_CHANGED');
  const drift = changed === undefined ? data['drift'] : true;
  const drifted = changed?.failure?.message ?? data['drifted'];
  return {
    outcome: outcome ?? 'error',
    phase,
    residue,
    ...(f ? { failure: f } : {}),
    ...(left === undefined ? {} : { power: left }),
    ...(typeof health === 'string' ? { health: health.slice(0, 300) } : {}),
    ...(typeof drift === 'boolean' ? { drift } : {}),
    ...(drift === true && typeof drifted === 'string' && drifted !== '' ? { drifted: oneLine(drifted) } : {}),
  };
}

/** The node after its operation ended. */
export function ended(node: NodeRecord, end: OperationEnd): NodeRecord {
  const operation = node.operation!;
  const passed = end.outcome === 'pass';
  const next: NodeRecord = {
    ...node,
    phase: end.phase,
    operation: null,
    residue: end.residue,
    power: end.power ?? (operation.kind === 'power' && !passed ? 'unknown' : node.power),
    health: end.health ?? node.health,
    flags: { ...node.flags, drift: driftFlag(node, end) },
    retired: end.retired ?? node.retired,
    supports: end.supports ?? node.supports,
    lastFailure: operation.kind === 'cleanup' ? afterCleanup(node, end) : (end.failure ?? null),
    recent: node.recent.map((r) =>
      r.requestId === operation.requestId ? { ...r, outcome: end.outcome } : r,
    ),
  };
  return passed ? { ...next, ...effectOf(operation, next) } : next;
}

/** The last failure once a clean-up has ended: what it was for, with what became of it, or why it failed itself. */
function afterCleanup({ operation, lastFailure: why }: NodeRecord, end: OperationEnd): Failure | null {
  const id = operation!.requestId;
  const { outcome, power, failure: f } = end;
  const passed = outcome === 'pass';
  if (why?.code === 'RESIDUE' && passed) {
    return { ...why, message: `${why.message} ${id} has removed it since.`, correction: 'Ask again.' };
  }
  if (why?.code !== 'OPERATION_LOST') return f ?? why;
  const lost = why.message.split('; ')[0];
  if (!passed) {
    return { ...(f ?? why), message: `${lost}; ${id} could not clean up: ${f?.message ?? outcome}` };
  }
  const became = `${id} has cleaned up: nothing left behind${power === undefined ? '' : `, power ${power}`}.`;
  return { ...why, message: `${lost}; ${became}`, correction: 'Ask again.' };
}

function driftFlag(node: NodeRecord, end: OperationEnd): string | null {
  if (end.drift === undefined) return node.flags.drift;
  if (!end.drift) return null;
  return end.drifted ?? 'the last inspection differs from the contract';
}

/** What passing a verb changes, beside the phase. */
function effectOf(operation: CurrentOperation, node: NodeRecord): Partial<NodeRecord> {
  const image = typeof operation.args['image'] === 'string' ? operation.args['image'] : null;
  const free = { owner: null, image: null };
  switch (operation.kind) {
    case 'deploy':
    case 'reimage':
      return { image, resident: { kind: 'owner', owner: node.owner } };
    case 'clean':
      return operation.args['erase'] === 'metadata' ? free : { ...free, resident: { kind: 'none' } };
    case 'release':
    case 'decommission':
      return { ...free, resident: { kind: 'none' } };
    case 'adopt': {
      const owner = ownerOf(operation);
      return { owner, image, resident: { kind: 'owner', owner } };
    }
    default:
      return {};
  }
}

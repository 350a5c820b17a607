import { failure, type Failure } from './errors/failure.ts';
import type { VerbRequest } from './messages.ts';
import type { NodeRecord, Resident } from './node.ts';
import { isFailed, isStable, type Phase, type StablePhase } from './phases.ts';
import { DRIVER_PLANS } from './plans/index.ts';
import { ALL_VERBS, isOperationVerb, operationVerb, type OperationKind, type Verb } from './verbs.ts';

/** What a node answers to a request. */
export type Decision =
  | { readonly kind: 'start'; readonly phase: Phase; readonly returnTo: StablePhase | null }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'control' }
  | { readonly kind: 'refuse'; readonly failure: Failure };

const refuse = (f: Failure): Decision => ({ kind: 'refuse', failure: f });

/** The verbs that the node would accept now (their arguments aside). */
export function legalVerbs(node: NodeRecord): Verb[] {
  return ALL_VERBS.filter((verb) => {
    if (isOperationVerb(verb)) {
      return node.operation === null && phaseAllows(node, verb) && node.supports.includes(verb);
    }
    if (verb === 'resume') return node.operation !== null && node.operation.kind !== 'cleanup';
    if (verb === 'abort') return node.operation !== null;
    return true;
  });
}

function phaseAllows(node: NodeRecord, verb: Verb): boolean {
  return isOperationVerb(verb) && operationVerb(verb).from.includes(node.phase);
}

const legal = (node: NodeRecord): string => `Legal now: ${legalVerbs(node).join(', ')}.`;

/** Decides what happens to a request. Pure; the whole policy of a node's messages is here. */
export function decide(node: NodeRecord, request: VerbRequest): Decision {
  const { verb } = request;
  if (verb === 'maintenance' || verb === 'quarantine' || verb === 'unquarantine') return { kind: 'flag' };
  if (verb === 'resume' || verb === 'abort') return decideControl(node, verb);

  const known = node.recent.find((r) => r.requestId === request.requestId);
  if (known) {
    return known.fingerprint === request.fingerprint
      ? { kind: 'duplicate' }
      : refuse(
          failure(
            'REQUEST_ID_REUSED',
            `requestId ${request.requestId} already stands for another request (${known.kind}).`,
          ),
        );
  }
  if (node.operation) {
    const { kind, requestId, held } = node.operation;
    return refuse(
      failure(
        'BUSY',
        `${node.node} is ${node.phase}: operation ${requestId} (${kind}) ${held ? 'is held' : 'is running'}. ${legal(node)}`,
        {
          details: { phase: node.phase, operationId: requestId, legal: legalVerbs(node) },
          ...unlessCleanup(kind),
        },
      ),
    );
  }
  if (!phaseAllows(node, verb)) {
    return refuse(
      failure('ILLEGAL_VERB', `${node.node} is ${node.phase}, which does not allow ${verb}. ${legal(node)}`, {
        details: { phase: node.phase, operationId: null, legal: legalVerbs(node) },
      }),
    );
  }
  if (node.supports.length === 0) {
    return refuse(failure('NODE_UNKNOWN', `The contract of ${node.site} has no node ${node.node}.`));
  }
  if (!node.supports.includes(verb)) {
    return refuse(failure('NOT_SUPPORTED', `The driver of ${node.node} cannot ${verb} yet. ${legal(node)}`));
  }
  const given = verb === 'deploy' || verb === 'adopt' ? guardGiving(node) : undefined;
  const guard = given ?? (verb === 'deploy' ? guardDeploy(node, request) : undefined);
  if (guard) return refuse(guard);

  const spec = operationVerb(verb);
  return {
    kind: 'start',
    phase: spec.through[0] ?? node.phase,
    returnTo: spec.to === 'return' ? returnPhase(node) : null,
  };
}

function decideControl(node: NodeRecord, verb: 'resume' | 'abort'): Decision {
  if (!node.operation) {
    return refuse(failure('NOT_HELD', `${node.node} is ${node.phase} and has no operation. ${legal(node)}`));
  }
  if (verb === 'resume' && node.operation.kind === 'cleanup') {
    const message = `${node.node} is being cleaned up. ${legal(node)}`;
    return refuse(failure('BUSY', message, unlessCleanup('cleanup')));
  }
  return { kind: 'control' };
}

/** A clean-up cannot be resumed. */
const unlessCleanup = (kind: OperationKind): { correction?: string } =>
  kind === 'cleanup' ? { correction: 'Wait for the clean-up to end, or `abort` it, and ask again.' } : {};

/**
 * Refuses a `resume` from a step that no driver's plan of the running operation has. Which driver runs it only
 * the operation knows: it has the last word. For the door only, before anything enters a history: plans change.
 */
export function unknownStep(node: NodeRecord, { verb, args }: VerbRequest): Failure | undefined {
  const { from } = args;
  const { operation } = node;
  if (verb !== 'resume' || typeof from !== 'string' || operation === null) return undefined;
  const { kind, requestId } = operation;
  if (kind === 'cleanup') return undefined;
  const plans = Object.entries(DRIVER_PLANS).map(
    ([driver, { plan }]) => [driver, (plan(kind, operation.args) ?? []).map(({ id }) => id)] as const,
  );
  if (plans.some(([, ids]) => ids.includes(from))) return undefined;
  const known = plans
    .filter(([, ids]) => ids.length > 0)
    .map(([driver, ids]) => `${ids.join(', ')} (${driver})`);
  return failure(
    'UNKNOWN_STEP',
    `Operation ${requestId} (${kind}) has no step ${from}; by its driver it has ${known.join('; ')}.`,
  );
}

/** Where a verb that returns goes back to: a failed inspection remembers where it came from. */
function returnPhase(node: NodeRecord): StablePhase | null {
  if (isFailed(node.phase)) return node.returnTo ?? 'manageable';
  return isStable(node.phase) ? node.phase : node.returnTo;
}

/** Nodes that are given to no one, whatever is asked. */
function guardGiving(node: NodeRecord): Failure | undefined {
  if (node.flags.quarantined !== null) {
    return failure('QUARANTINED', `${node.node} is quarantined: ${node.flags.quarantined}`);
  }
  if (node.flags.maintenance !== null) {
    return failure('IN_MAINTENANCE', `${node.node} is in maintenance: ${node.flags.maintenance}`);
  }
  return node.retired ? failure('RETIRED', `${node.node} is retired in the contract.`) : undefined;
}

function guardDeploy(node: NodeRecord, request: VerbRequest): Failure | undefined {
  const owner = typeof request.args['owner'] === 'string' ? request.args['owner'] : null;
  if (node.residue.length > 0) {
    return failure('RESIDUE', `${node.node} still has ${node.residue.join(', ')} of an earlier operation.`);
  }
  if (node.phase === 'deploy-failed' && owner !== node.owner) {
    return failure(
      'OWNER_MISMATCH',
      `${node.node} belongs to ${node.owner ?? 'no one'}, not to ${owner ?? 'no one'}.`,
    );
  }
  const { resident } = node;
  if (mayHave(resident, owner, node.phase)) return undefined;
  return failure('ERASE_REQUIRED', `The disks of ${node.node} may hold data of ${residentName(resident)}.`, {
    correction: erasing(node),
  });
}

/** What to do about data of somebody else, by verbs that are legal now. */
function erasing(node: NodeRecord): string {
  const legal = legalVerbs(node);
  const owner = node.resident.kind === 'owner' ? node.resident.owner : null;
  const ways = [
    legal.includes('release') ? '`release` it, which erases it in full, and then deploy it' : '',
    node.phase === 'available' && owner !== null ? `\`deploy\` it for ${owner}` : '',
    legal.includes('decommission')
      ? '`decommission` it, which erases it in full and takes it out of service'
      : '',
  ].filter((way) => way !== '');
  return ways.length > 0 ? `${ways.join(', or ')}.` : 'Use another node.';
}

/** Two owners without a name are one only where the deployment of the first one failed. */
function mayHave(resident: Resident, owner: string | null, phase: Phase): boolean {
  if (resident.kind !== 'owner') return resident.kind === 'none';
  return resident.owner === owner && (owner !== null || phase === 'deploy-failed');
}

const residentName = (resident: Resident): string =>
  resident.kind === 'owner' ? (resident.owner ?? 'an unnamed owner') : 'an unknown owner';

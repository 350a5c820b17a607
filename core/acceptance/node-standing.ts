import type { Phase } from '../phases.ts';
import { VERBS } from '../verbs.ts';
import { flagsOf, powerOf, type NodeRecord } from '../node.ts';

/** Who the dedicated node belongs to while it is a server. */
export const ACCEPTANCE_OWNER = 'acceptance';

/** What keeps a node from being used, and what corrects it. */
export interface NotFree {
  readonly message: string;
  readonly correction: string;
}

/** Why a node cannot be given to somebody now; empty if it is available, free, in service and clean. */
export function notFree(node: string, record: NodeRecord | undefined): NotFree[] {
  if (record === undefined) {
    return [
      {
        message: `${node} was never enrolled.`,
        correction: `rackwright node enroll ${node}, then rackwright node clean ${node}`,
      },
    ];
  }
  const found: NotFree[] = [];
  const { phase, owner, operation, residue } = record;
  if (operation) {
    found.push({
      message: `${node} is ${phase}: its ${operation.kind} ${operation.requestId} ${operation.held ? 'is held' : 'is running'}.`,
      correction:
        'Wait for that operation, or resume or abort it; or dedicate another node in `acceptance.node`.',
    });
  } else if (owner === ACCEPTANCE_OWNER) {
    found.push({
      message: `${node} is ${phase}, as a run of acceptance has left it.`,
      correction: backBy(node, phase),
    });
  } else if (phase !== 'available') {
    found.push({
      message: `${node} is ${phase}${owner === null ? '' : `, and belongs to ${owner}`}; it is not touched.`,
      correction:
        owner === null
          ? `Bring it to available (rackwright node show ${node} says which verbs are legal).`
          : 'Dedicate a node that nobody uses in `acceptance.node`.',
    });
  }
  const flags = flagsOf(record).filter((flag) => flag !== 'held' && flag !== 'residue');
  if (flags.length > 0) {
    found.push({
      message: `${node} is not in service: ${flags.join(', ')}.`,
      correction: `Clear what is set, once its reason is gone: rackwright node show ${node}`,
    });
  }
  if (residue.length > 0) {
    found.push({
      message: `On ${node} something is left of an earlier operation: ${residue.join(', ')}.`,
      correction: 'It is looked at again by itself; look why it cannot be removed.',
    });
  }
  return found;
}

/** What takes a node back that a run of acceptance has left: a release, or what is left of one. */
function backBy(node: string, phase: Phase): string {
  const verb = (['release', 'clean'] as const).find((each) =>
    (VERBS[each].from as readonly Phase[]).includes(phase),
  );
  return verb === undefined
    ? `Bring it to available (rackwright node show ${node} says which verbs are legal).`
    : `rackwright node ${verb} ${node}`;
}

/** What differs, after a release, from a node that is free again; empty if nothing does. */
export function notTakenBack(node: string, record: NodeRecord | undefined): NotFree[] {
  const found = notFree(node, record);
  if (record && record.phase === 'available' && powerOf(record) === 'on') {
    found.push({
      message: `${node} is available and powered on.`,
      correction: `rackwright node power ${node} off`,
    });
  }
  return found;
}

import { CancellationScope, makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import { parseNodeInput } from '../core/messages.ts';
import { NODE_TASK_TIMEOUT, nodeWorkflowId } from '../core/names.ts';
import { startedWrongly } from './failures.ts';
import { NodeEntity } from './node-entity.ts';
import { registerHandlers } from './node-handlers.ts';
import { NodeLoop } from './node-loop.ts';
import { NodeStanding, type NodeMemory } from './node-standing.ts';

/** Input of workflow `node`. `memory` is the entity's own, from one run to the next. */
export interface NodeInput {
  readonly site: string;
  readonly node: string;
  readonly memory?: NodeMemory;
}

/**
 * A server's entity: holds its phase, answers its messages, starts its operations. It ends only when it is
 * cancelled, and then not before its operation has ended.
 *
 * Invariants:
 * 1. All handlers are registered before the first await. None throws; an update decides at once, and only
 *    its answer waits for the operation to be there.
 * 2. At most one operation runs; its record is written before it starts and after it ends.
 * 3. Whatever a sender sends, the entity goes on.
 */
export async function node(input: NodeInput): Promise<void> {
  const { site, node: name } = checked(input);
  const standing = new NodeStanding(site, name, input.memory);
  const entity = new NodeEntity(standing);
  const signals = registerHandlers(entity);
  const loop = new NodeLoop(standing, entity, () => signals.unheard);
  CancellationScope.current().cancelRequested.catch(() => loop.end());
  const memory = await CancellationScope.nonCancellable(() => loop.run());
  const next = makeContinueAsNewFunc<typeof node>({ workflowTaskTimeout: NODE_TASK_TIMEOUT });
  await next({ site, node: name, memory });
}

/** The input of a start, which may come from anyone: wrong input or a wrong id fails the workflow at once. */
function checked(input: unknown): { site: string; node: string } {
  const parsed = parseNodeInput(input);
  if (!parsed.ok) {
    const { field, message } = parsed.problem;
    throw startedWrongly(
      'INVALID_MESSAGE',
      `Input of node: ${field} ${message}. Example: {"site": "lab", "node": "gpu-01"}`,
    );
  }
  // Only a run that goes on has a memory, and only from the entity itself.
  const foreign = Object.keys(input as object).find((field) => field !== 'site' && field !== 'node');
  if (foreign !== undefined && workflowInfo().continuedFromExecutionRunId === undefined) {
    throw startedWrongly(
      'INVALID_MESSAGE',
      `Input of node: ${foreign.slice(0, 40)} is not a field of it; it has site, node.`,
    );
  }
  const { site, node: name } = parsed.value;
  const id = nodeWorkflowId(site, name);
  if (workflowInfo().workflowId !== id) {
    throw startedWrongly('INVALID_WORKFLOW_ID', `The workflow id of this node must be ${id}.`);
  }
  return parsed.value;
}

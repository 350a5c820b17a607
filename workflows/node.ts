import { ApplicationFailure, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { failure } from '../core/errors/failure.ts';
import { parseNodeInput } from '../core/messages.ts';
import { nodeWorkflowId } from '../core/names.ts';
import { NodeEntity, type NodeMemory } from './node-entity.ts';
import { registerHandlers } from './node-handlers.ts';

/** Input of workflow `node`. `memory` is the entity's own, from one run to the next. */
export interface NodeInput {
  readonly site: string;
  readonly node: string;
  readonly memory?: NodeMemory;
}

/**
 * A server's entity: holds its phase, answers its messages, starts its operations. It never ends.
 *
 * Invariants:
 * 1. All handlers are registered before the first await. None throws; an update decides at once, and only
 *    its answer waits for the operation to be there.
 * 2. At most one operation runs; its record is written before it starts and after it ends.
 * 3. Whatever a sender sends, the entity goes on.
 */
export async function node(input: NodeInput): Promise<void> {
  const parsed = parseNodeInput(input);
  const names = parsed.ok ? parsed.value : { site: 'unknown', node: 'unknown' };
  const entity = new NodeEntity(names.site, names.node, parsed.ok ? input.memory : undefined);
  registerHandlers(entity);

  if (!parsed.ok) {
    const { field, message } = parsed.problem;
    throw ApplicationFailure.nonRetryable(
      failure(
        'INVALID_MESSAGE',
        `Input of node: ${field} ${message}. Example: {"site": "lab", "node": "gpu-01"}`,
      ).message,
      'INVALID_MESSAGE',
    );
  }
  const id = nodeWorkflowId(names.site, names.node);
  if (workflowInfo().workflowId !== id) {
    const { message } = failure('INVALID_WORKFLOW_ID', `The workflow id of this node must be ${id}.`);
    throw ApplicationFailure.nonRetryable(message, 'INVALID_WORKFLOW_ID');
  }
  const memory = await entity.run();
  await continueAsNew<typeof node>({ ...names, memory });
}

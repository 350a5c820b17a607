import { ApplicationFailure, CancellationScope, workflowInfo } from '@temporalio/workflow';
import { failure } from '../core/errors/failure.ts';
import { operationWorkflowId } from '../core/names.ts';
import type { OperationInput, OperationReport } from '../core/operations.ts';
import { registerHandlers } from './operation-handlers.ts';
import { OperationRun } from './operation-run.ts';

/**
 * Runs one verb on one node, from its plan. Started by the node's entity only.
 *
 * Invariants:
 * 1. It always ends with a verdict: `outcome` of its result. It has no execution time-out.
 * 2. Whatever way it ends, what it may have left on the node is removed first, or named in `residue`.
 * 3. Nothing cancels it from outside: a cancellation is an abort.
 */
export async function operation(input: OperationInput): Promise<OperationReport> {
  const run = new OperationRun(input);
  registerHandlers(run);

  const id = operationWorkflowId(input.site, input.node, input.requestId);
  if (workflowInfo().workflowId !== id) {
    const { message } = failure('INVALID_WORKFLOW_ID', `This operation's workflow id must be ${id}.`);
    throw ApplicationFailure.nonRetryable(message, 'INVALID_WORKFLOW_ID');
  }
  const cancelled = CancellationScope.current().cancelRequested;
  cancelled.catch(() => run.abort('the workflow was cancelled'));
  return CancellationScope.nonCancellable(() => run.run());
}

import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { parseOperationStart } from '../core/events.ts';
import { operationWorkflowId } from '../core/names.ts';
import type { OperationInput, OperationReport } from '../core/operations.ts';
import { startedWrongly } from './failures.ts';
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
  check(input);
  const run = new OperationRun(input);
  registerHandlers(run);
  const cancelled = CancellationScope.current().cancelRequested;
  cancelled.catch(() => run.abort('the workflow was cancelled'));
  return CancellationScope.nonCancellable(() => run.run());
}

/** Nodes start operations. Whoever starts one by hand is told at once what is the way. */
function check(input: unknown): void {
  const parsed = parseOperationStart(input);
  if (!parsed.ok) {
    const { field, message } = parsed.problem;
    throw startedWrongly(
      'INVALID_MESSAGE',
      `Input of operation: ${field} ${message}. Operations are started by their node: send it the verb.`,
    );
  }
  const { site, node, requestId } = parsed.value;
  const id = operationWorkflowId(site, node, requestId);
  if (workflowInfo().workflowId !== id) {
    throw startedWrongly('INVALID_WORKFLOW_ID', `This operation's workflow id must be ${id}.`);
  }
}

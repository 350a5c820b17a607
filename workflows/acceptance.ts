import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { parseAcceptanceInput } from '../core/acceptance/messages.ts';
import type { AcceptanceInput, AcceptanceReport } from '../core/acceptance/report.ts';
import { acceptanceWorkflowId, parseAcceptanceWorkflowId } from '../core/names.ts';
import { registerAcceptanceHandlers } from './acceptance-handlers.ts';
import { AcceptanceRun } from './acceptance-run.ts';
import { startedWrongly } from './failures.ts';

/**
 * Runs the gates of a site, one after the other, and stops at the first that is not green.
 *
 * Invariants:
 * 1. It always ends with a verdict: `outcome` of its result. It has no execution time-out.
 * 2. A gate is green only if each of its checks told so, or the contract has nothing of the kind. What could not be
 *    told is an error: neither a pass nor a fail.
 * 3. Nothing cancels it from outside: a cancellation is an abort.
 */
export async function acceptance(input: AcceptanceInput): Promise<AcceptanceReport> {
  const run = new AcceptanceRun(checked(input));
  registerAcceptanceHandlers(run);
  const cancelled = CancellationScope.current().cancelRequested;
  cancelled.catch(() => run.abort('the workflow was cancelled'));
  return CancellationScope.nonCancellable(() => run.run());
}

/** The input of a start, which may come from anyone: wrong input or a wrong id fails the workflow at once. */
function checked(input: unknown): AcceptanceInput {
  const { workflowId } = workflowInfo();
  const id = parseAcceptanceWorkflowId(workflowId);
  const parsed = parseAcceptanceInput(input, id?.runId ?? 'RUN-ID');
  if (!parsed.ok) {
    throw startedWrongly('INVALID_MESSAGE', `${parsed.failure.message} Example: {"site": "lab"}`);
  }
  const { site, runId } = parsed.value;
  if (id?.site !== site) {
    throw startedWrongly(
      'INVALID_WORKFLOW_ID',
      `The workflow id of this run must be ${acceptanceWorkflowId(site, runId)}, with an id of your choice for the run.`,
    );
  }
  return parsed.value;
}

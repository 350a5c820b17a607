import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { causedGates, causedRunId, type Change } from '../../core/acceptance/causes.ts';
import type { AcceptanceInput } from '../../core/acceptance/report.ts';
import { acceptanceWorkflowId, WORKFLOW_QUEUE } from '../../core/names.ts';

/** Whether the contract wants a run for such a change. */
export const wantsRun = (
  { acceptance }: Pick<Inventory, 'acceptance'>,
  { cause }: Pick<Change, 'cause'>,
): boolean =>
  (acceptance?.runOn?.includes(cause) ?? false) && causedGates({ cause }, acceptance?.gates).length > 0;

/**
 * Starts the run that the contract wants for a change; of one that was seen before, nothing. It waits for whichever
 * run is under way, and nobody has to be there.
 *
 * @returns its id; undefined where none is wanted
 */
export async function startCausedRun(
  client: Pick<Client, 'workflow'>,
  contract: Pick<Inventory, 'site' | 'acceptance'>,
  change: Change,
): Promise<string | undefined> {
  if (!wantsRun(contract, change)) return undefined;
  const { site, acceptance } = contract;
  const runId = causedRunId(change);
  const input: AcceptanceInput = {
    site,
    runId,
    gates: causedGates(change, acceptance?.gates),
    onFailure: 'fail',
    whenBusy: 'wait',
    reason: `${change.cause}: ${change.subject}`,
  };
  try {
    await client.workflow.start('acceptance', {
      workflowId: acceptanceWorkflowId(site, runId),
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: `Acceptance of ${site}, for ${change.cause}: ${change.subject}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return runId;
}

import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { JsonObject } from '../../core/json.ts';
import { NODE_TASK_TIMEOUT, nodeWorkflowId, WORKFLOW_QUEUE } from '../../core/names.ts';
import type { Ticket } from '../../core/operations.ts';
import type { Verb } from '../../core/verbs.ts';

/**
 * Asks a node for a verb, as an update, and starts its workflow if there is none. Throws what Temporal's client
 * throws: the refusal is in it.
 *
 * @param deadline when to stop waiting for the answer, in milliseconds of the clock
 */
export function askNode(
  client: Client,
  { site, node }: { readonly site: string; readonly node: string },
  verb: Verb,
  message: JsonObject,
  deadline: number,
): Promise<Ticket> {
  const startWorkflowOperation = new WithStartWorkflowOperation('node', {
    workflowId: nodeWorkflowId(site, node),
    taskQueue: WORKFLOW_QUEUE,
    args: [{ site, node }],
    workflowTaskTimeout: NODE_TASK_TIMEOUT,
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  return client.connection.withDeadline(deadline, () =>
    client.workflow.executeUpdateWithStart<Workflow, Ticket, [JsonObject]>(verb, {
      args: [message],
      startWorkflowOperation,
    }),
  );
}

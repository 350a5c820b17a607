import type { Client, WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { asRackwrightError } from '../../activities/temporal/client-errors.ts';

const { PENDING_WORKFLOW_TASK_STATE_STARTED } = proto.temporal.api.enums.v1.PendingWorkflowTaskState;
const QUERY_MS = 15_000;
/** Longer than any workflow task may take (`NODE_TASK_TIMEOUT`), and a query after it. */
const HELD_MS = 50_000;

/**
 * What a running workflow answers to a query; undefined if there is none. Throws NOT_READY without a worker. A worker
 * that died has its workflow task until that is over, and nobody is answered meanwhile: that is waited for.
 *
 * @param ms how long one query may take
 */
export async function queried<T>(
  client: Client,
  workflowId: string,
  name: string,
  ms = QUERY_MS,
): Promise<T | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  for (const began = Date.now(); ;) {
    try {
      return await client.connection.withDeadline(Date.now() + ms, () => handle.query<T>(name));
    } catch (error) {
      const ours = asRackwrightError(error, workflowId);
      const { code } = ours.failure;
      if (code === 'OPERATION_UNKNOWN') return undefined;
      const mayWait = code === 'NOT_READY' && Date.now() - began < HELD_MS;
      if (!mayWait || !(await isTaken(handle))) throw ours;
    }
  }
}

/** Whether a worker, alive or not, has a workflow task of it. */
async function isTaken(handle: WorkflowHandle): Promise<boolean> {
  const described = await handle.describe().catch(() => undefined);
  return described?.raw.pendingWorkflowTask?.state === PENDING_WORKFLOW_TASK_STATE_STARTED;
}

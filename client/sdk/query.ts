import type { Client } from '@temporalio/client';
import { asRackwrightError } from '../../activities/temporal/client-errors.ts';

const QUERY_MS = 15_000;

/** What a running workflow answers to a query; undefined if there is none. Throws NOT_READY without a worker. */
export async function queried<T>(client: Client, workflowId: string, name: string): Promise<T | undefined> {
  try {
    return await client.connection.withDeadline(Date.now() + QUERY_MS, () =>
      client.workflow.getHandle(workflowId).query<T>(name),
    );
  } catch (error) {
    const ours = asRackwrightError(error, workflowId);
    if (ours.failure.code === 'OPERATION_UNKNOWN') return undefined;
    throw ours;
  }
}

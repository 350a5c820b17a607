import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import {
  Client,
  QueryNotRegisteredError,
  QueryRejectedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { isErrorCode } from '../../core/errors/catalogue.ts';
import { asFailure, fail, RackwrightError } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { operationWorkflowId } from '../../core/names.ts';
import type { AgentHeartbeat, AgentLookup, GatewayAccess, OperationRef } from '../../core/operations.ts';

/** Which operation a token names. */
export type OperationId = Pick<OperationRef, 'site' | 'node' | 'requestId'>;

/** What the gateway asks of an operation. Each throws OPERATION_OVER, GATEWAY_UNAVAILABLE or what it refused with. */
export interface Operations {
  access(id: OperationId): Promise<GatewayAccess>;
  agentLookup(id: OperationId, lookup: AgentLookup): Promise<{ readonly heard: boolean }>;
  agentHeartbeat(id: OperationId, heartbeat: AgentHeartbeat): Promise<void>;
  firstBoot(id: OperationId, report: JsonObject): Promise<void>;
}

/**
 * A query waits behind a workflow task, and one that was lost on its way to a worker is given out again
 * after 10 s: longer than that, and shorter than the 30 s that agents and BMCs wait for an answer.
 */
const CALL_MS = 20_000;

/** The operations as Temporal runs them: queries and updates of their workflows. */
export function temporalOperations(client: Client): Operations {
  const { connection, options } = client;
  const own = new Client({
    connection,
    namespace: options.namespace,
    dataConverter: options.loadedDataConverter,
    // A closed operation is over, even while a worker could still answer for it.
    workflow: { queryRejectCondition: 'NOT_OPEN' },
  });
  const handle = (id: OperationId) =>
    own.workflow.getHandle(operationWorkflowId(id.site, id.node, id.requestId));
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await own.withDeadline(Date.now() + CALL_MS, work);
    } catch (error) {
      throw operationError(error);
    }
  };
  return {
    access: (id) => call(() => handle(id).query<GatewayAccess>('access')),
    agentLookup: (id, lookup) =>
      call(() =>
        handle(id).executeUpdate<{ heard: boolean }, [AgentLookup]>('agentLookup', { args: [lookup] }),
      ),
    agentHeartbeat: (id, heartbeat) =>
      call(() => handle(id).executeUpdate<void, [AgentHeartbeat]>('agentHeartbeat', { args: [heartbeat] })),
    firstBoot: (id, report) =>
      call(() => handle(id).executeUpdate<void, [JsonObject]>('firstBoot', { args: [report] })),
  };
}

const over = (): RackwrightError => fail('OPERATION_OVER', 'The operation is over.');
const unavailable = (why: string): RackwrightError =>
  fail('GATEWAY_UNAVAILABLE', `The operation cannot be asked now: ${why}.`, {}, { retryAfterMs: 5_000 });

/** What an error of the client means to whoever called the gateway. */
export function operationError(error: unknown): RackwrightError {
  if (error instanceof RackwrightError) return error;
  if (error instanceof WorkflowNotFoundError || error instanceof QueryRejectedError) return over();
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return unavailable('no worker answered in time');
  if (error instanceof QueryNotRegisteredError) return unavailable('the worker does not know the operation');
  if (error instanceof WorkflowUpdateFailedError) return refused(error.cause);
  return unavailable('no answer from the orchestrator or a worker');
}

function refused(cause: unknown): RackwrightError {
  if (cause instanceof TimeoutFailure) return unavailable('no worker answered in time');
  if (!(cause instanceof ApplicationFailure)) return over();
  const given = asFailure(cause.details?.[0]);
  if (given !== undefined) return new RackwrightError(given);
  if (isErrorCode(cause.type)) return fail(cause.type, cause.message);
  // The server's own words for an update that the end of the workflow overtook.
  return /AcceptedUpdateCompletedWorkflow/.test(cause.type ?? '') ? over() : unavailable('the update failed');
}

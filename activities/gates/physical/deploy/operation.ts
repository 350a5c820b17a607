import { WorkflowNotFoundError } from '@temporalio/client';
import { failure } from '../../../../core/errors/failure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { nodeWorkflowId, operationWorkflowId } from '../../../../core/names.ts';
import type { NodeRecord } from '../../../../core/node.ts';
import type { OperationReport } from '../../../../core/operations.ts';
import type { Verb } from '../../../../core/verbs.ts';
import { asRackwrightError } from '../../../temporal/client-errors.ts';
import { askNode } from '../../../temporal/request.ts';
import type { CheckContext } from '../../check.ts';
import { requestIdOf, serverOf } from '../server.ts';

const REQUEST_MS = 30_000;
const QUERY_MS = 15_000;
/** Asks the dedicated node. Throws its refusal, as any of our errors. */
export async function ask(context: CheckContext, verb: Verb, message: JsonObject): Promise<void> {
  const { site } = context;
  const { node } = serverOf(context);
  try {
    const at = { site: site.name, node: node.name };
    await askNode(site.client, at, verb, message, Date.now() + REQUEST_MS);
  } catch (error) {
    throw asRackwrightError(error, `node ${node.name}`);
  }
}

/** What a check needs of the report of an operation. */
export type Followed = Pick<
  OperationReport,
  'requestId' | 'startedAt' | 'endedAt' | 'outcome' | 'failure' | 'steps' | 'evidence'
>;

/** The report of an operation that this run of the gate has asked for; undefined if there is none. */
export async function operationOf(
  context: CheckContext,
  verb: 'deploy' | 'release',
): Promise<Followed | undefined> {
  const { client, name } = context.site;
  const { node } = serverOf(context);
  const id = operationWorkflowId(name, node.name, requestIdOf(context, verb));
  const handle = client.workflow.getHandle(id);
  try {
    const { status, startTime, closeTime } = await handle.describe();
    if (status.name === 'COMPLETED') return (await handle.result()) as OperationReport;
    if (status.name !== 'RUNNING') return lost(requestIdOf(context, verb), status.name, startTime, closeTime);
    return await client.connection.withDeadline(Date.now() + QUERY_MS, () =>
      handle.query<OperationReport>('progress'),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw asRackwrightError(error, `operation ${id}`);
  }
}

/** An operation whose workflow was ended from outside: it has left no report. */
const lost = (requestId: string, status: string, startTime: Date, closeTime?: Date): Followed => ({
  requestId,
  startedAt: startTime.toISOString(),
  endedAt: (closeTime ?? startTime).toISOString(),
  outcome: 'error',
  failure: failure('OPERATION_LOST', `The workflow of operation ${requestId} is ${status.toLowerCase()}.`),
  steps: [],
  evidence: [],
});

/** Whether the node has taken a request of this run of the gate, the operation of which may still have to begin. */
export async function hasTaken(context: CheckContext, verb: 'deploy' | 'release'): Promise<boolean> {
  const { client, name } = context.site;
  const { node } = serverOf(context);
  const id = requestIdOf(context, verb);
  try {
    const state = await client.connection.withDeadline(Date.now() + QUERY_MS, () =>
      client.workflow.getHandle(nodeWorkflowId(name, node.name)).query<NodeRecord>('state'),
    );
    return state.operation?.requestId === id || state.recent.some(({ requestId }) => requestId === id);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw asRackwrightError(error, `node ${node.name}`);
  }
}

import { WorkflowNotFoundError } from '@temporalio/client';
import { effectiveNode, type EffectiveNode } from '../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { ACCEPTANCE_OWNER } from '../../../core/acceptance/node-standing.ts';
import type { CheckResult } from '../../../core/acceptance/report.ts';
import { fail, failure, type Failure } from '../../../core/errors/failure.ts';
import type { FaultDomain } from '../../../core/fault-domains.ts';
import { fingerprint } from '../../../core/fingerprint.ts';
import type { JsonObject } from '../../../core/json.ts';
import { nodeWorkflowId, operationWorkflowId } from '../../../core/names.ts';
import type { NodeRecord } from '../../../core/node.ts';
import type { EvidenceRef, OperationReport } from '../../../core/operations.ts';
import type { Verb } from '../../../core/verbs.ts';
import { asRackwrightError } from '../../temporal/client-errors.ts';
import { askNode } from '../../temporal/request.ts';
import { wrongOf, type CheckContext, type Wrong } from '../check.ts';

const REQUEST_MS = 30_000;
const QUERY_MS = 15_000;
/** How much of the run's id stands in the ids of its requests. */
const LONGEST_RUN = 80;

/** Why there is no server to ask for; undefined: there is one. */
export const noServer = ({ nodes }: Inventory): string | undefined =>
  nodes.length === 0 ? 'the contract has no node' : undefined;

/** The dedicated node and the image, as the contract names them. Throws CONTRACT_INVALID. */
export function serverOf({ inventory }: CheckContext): { node: EffectiveNode; image: string } {
  const { node, image } = inventory.acceptance ?? {};
  if (node === undefined || image === undefined) {
    const missing = node === undefined ? 'acceptance.node' : 'acceptance.image';
    throw fail('CONTRACT_INVALID', `The contract does not say \`${missing}\`, which gate 7 takes.`, {
      correction: `Add \`${missing}\`: a server that nobody else is given, and an image for it.`,
    });
  }
  return { node: effectiveNode(inventory, node), image };
}

/** The id of a request of this run of the gate: the same in each attempt, another after a resume. */
export function requestIdOf({ input }: CheckContext, verb: 'deploy' | 'release'): string {
  const { runId, run } = input;
  const short =
    runId.length <= LONGEST_RUN ? runId : `${runId.slice(0, LONGEST_RUN - 15)}-${fingerprint(runId)}`;
  return `${ACCEPTANCE_OWNER}-${short}-${run}-${verb}`;
}

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

/** A result about the one server of this gate. */
export const result = (
  outcome: CheckResult['outcome'],
  summary: string,
  over: { readonly findings?: CheckResult['findings']; readonly evidence?: readonly EvidenceRef[] } = {},
): CheckResult => ({ outcome, summary, findings: [], targets: 1, evidence: [], ...over });

/** A result of findings about the node. */
export const wrong = (
  node: string,
  found: readonly (Wrong | Failure)[],
  faultDomain: FaultDomain,
  evidence: readonly EvidenceRef[] = [],
): CheckResult => ({
  ...result('fail', '1 failed', { evidence }),
  findings: found.map((each) => ({
    target: node,
    failure: 'code' in each ? each : wrongOf(node, each, faultDomain),
  })),
});

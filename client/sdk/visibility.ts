import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { PowerChange, Unreachable } from '../../core/node.ts';
import { type SEARCH_ATTRIBUTES, parseOperationWorkflowId } from '../../core/names.ts';

/** How many nodes a list holds at most. */
const MAX_NODES = 10_000;

type AttributeName = keyof typeof SEARCH_ATTRIBUTES;

/** A node as lists show it: from visibility and memo, never by a query. */
export interface NodeRow {
  readonly node: string;
  readonly phase: string;
  readonly flags: readonly string[];
  readonly owner: string | null;
  readonly operation: string | null;
  /** What the operation does. */
  readonly kind: string | null;
  readonly image: string | null;
  readonly power: string | null;
  readonly health: string | null;
  /** Set while the power is what no operation made it. */
  readonly powerChange: PowerChange | null;
  /** Set while its BMC cannot be read. */
  readonly unreachable: Unreachable | null;
  readonly workflowId: string;
  /** Whether its workflow runs. If not, the next request starts it again from the node's record. */
  readonly running: boolean;
  /** Whether it ran once and does not now. */
  readonly stopped: boolean;
}

/** An operation as lists show it. */
export interface OperationRow {
  readonly operationId: string;
  readonly workflowId: string;
  readonly node: string;
  readonly kind: string | null;
  readonly phase: string | null;
  readonly held: boolean;
  readonly outcome: string | null;
  readonly faultDomain: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Temporal's own status, in lower case. */
  readonly status: string;
}

export const keyword = (info: WorkflowExecutionInfo, name: AttributeName): string | null =>
  info.typedSearchAttributes.get(defineSearchAttributeKey(name, SearchAttributeType.KEYWORD)) ?? null;

export const keywords = (info: WorkflowExecutionInfo, name: AttributeName): string[] =>
  info.typedSearchAttributes.get(defineSearchAttributeKey(name, SearchAttributeType.KEYWORD_LIST)) ?? [];

const memo = (info: WorkflowExecutionInfo, name: string): string | null => {
  const value = info.memo?.[name];
  return typeof value === 'string' ? value : null;
};

/** What the entity itself has put there as an object. */
const object = <T>(info: WorkflowExecutionInfo, name: string): T | null => {
  const value = info.memo?.[name];
  return typeof value === 'object' && value !== null ? (value as T) : null;
};

/** Values in visibility queries are names and ids, which hold no quotes; any other is not sent. */
export const quote = (value: string): string => `'${value.replaceAll(/['\\]/g, '')}'`;

export async function list(client: Client, query: string, limit: number): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query, pageSize: Math.min(limit, 1000) })) {
    found.push(info);
    if (found.length >= limit) break;
  }
  return found;
}

/** All nodes of a site that have, or had, a workflow, by name. */
export async function listNodes(client: Client, site: string): Promise<NodeRow[]> {
  const nodes = `WorkflowType = 'node' AND RackwrightSite = ${quote(site)}`;
  const [running, closed] = await Promise.all([
    list(client, `${nodes} AND ExecutionStatus = 'Running'`, MAX_NODES),
    list(
      client,
      `${nodes} AND ExecutionStatus IN ('Terminated', 'Failed', 'Canceled', 'TimedOut')`,
      MAX_NODES,
    ),
  ]);
  // Of several runs of a node the one that runs, else the newest, says how it is.
  const byAge = closed.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
  const rows = new Map([...byAge, ...running].map((info) => [info.workflowId, nodeRow(info)]));
  return [...rows.values()].sort((a, b) => (a.node < b.node ? -1 : 1));
}

const nodeRow = (info: WorkflowExecutionInfo): NodeRow => ({
  node: keyword(info, 'RackwrightNode') ?? info.workflowId.split('/')[2] ?? '',
  phase: keyword(info, 'RackwrightPhase') ?? 'unknown',
  flags: keywords(info, 'RackwrightFlags'),
  owner: keyword(info, 'RackwrightTenant'),
  operation: keyword(info, 'RackwrightOperation'),
  kind: memo(info, 'kind'),
  image: memo(info, 'image'),
  power: memo(info, 'power'),
  health: memo(info, 'health'),
  powerChange: object<PowerChange>(info, 'powerChange'),
  unreachable: object<Unreachable>(info, 'unreachable'),
  workflowId: info.workflowId,
  running: info.status.name === 'RUNNING',
  stopped: info.status.name !== 'RUNNING',
});

/** Which operations to list. */
export interface OperationFilter {
  readonly node?: string | undefined;
  readonly running?: boolean | undefined;
  /** @default 50 */
  readonly limit?: number | undefined;
}

/** Operations of a site, newest first. */
export async function listOperations(
  client: Client,
  site: string,
  filter: OperationFilter = {},
): Promise<OperationRow[]> {
  const prefix = filter.node === undefined ? `op/${site}/` : `op/${site}/${filter.node}/`;
  const terms = [
    `WorkflowType = 'operation'`,
    `WorkflowId STARTS_WITH ${quote(prefix)}`,
    ...(filter.running ? [`ExecutionStatus = 'Running'`] : []),
  ];
  const rows = (await list(client, terms.join(' AND '), filter.limit ?? 50)).map(operationRow);
  return rows.sort((a, b) => (a.startedAt > b.startedAt ? -1 : 1));
}

function operationRow(info: WorkflowExecutionInfo): OperationRow {
  const id = parseOperationWorkflowId(info.workflowId);
  return {
    operationId: id?.requestId ?? info.workflowId,
    workflowId: info.workflowId,
    node: id?.node ?? '',
    kind: memo(info, 'kind'),
    phase: keyword(info, 'RackwrightPhase'),
    held: keywords(info, 'RackwrightFlags').includes('held'),
    outcome: keyword(info, 'RackwrightOutcome'),
    faultDomain: keyword(info, 'RackwrightFaultDomain'),
    startedAt: info.startTime.toISOString(),
    endedAt: info.closeTime?.toISOString() ?? null,
    status: info.status.name.toLowerCase(),
  };
}

import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client';
import { notYet } from '../core/errors/failure.ts';
import { operationWorkflowId } from '../core/names.ts';
import type { NodeRecord } from '../core/node.ts';
import type { OperationReport } from '../core/operations.ts';
import { supportedVerbs } from '../core/plans/index.ts';
import type { FoundOperation, LoadedNode, SavedNode, WatchedOperation } from '../core/site-activities.ts';
import { endOf } from '../core/transitions.ts';
import type { Site } from './site.ts';

/** How often the second witness looks at a running operation. */
const WATCH_MS = 20_000;

interface OperationName {
  readonly site: string;
  readonly node: string;
  readonly requestId: string;
}

/** Reads the node's record and what the contract says of it. */
export async function loadNode(site: Site, name: { site: string; node: string }): Promise<LoadedNode> {
  const record = (await site.records.read(name.site, name.node)) ?? null;
  const inventory = await site.inventory();
  const node = inventory.nodes.find(({ name: n }) => n === name.node);
  return {
    record,
    known: node !== undefined,
    retired: node?.retired ?? false,
    supports: node ? supportedVerbs(node.driver) : [],
  };
}

/** Writes the record under its generation; tells the stored one if that is another. */
export async function saveNode(site: Site, { record }: { record: NodeRecord }): Promise<SavedNode> {
  const result = await site.records.write(record, record.generation - 1);
  if (result === 'written') return { written: true };
  return { written: false, stored: (await site.records.read(record.site, record.node)) ?? null };
}

/** "Not yet" while the operation's workflow is open; then how it ended, or that it is lost. */
export async function watchOperation(site: Site, name: OperationName): Promise<WatchedOperation> {
  const description = await describe(site, name);
  if (description?.status.name === 'RUNNING') {
    throw notYet('BUSY', `Operation ${name.requestId} of ${name.node} is running.`, WATCH_MS);
  }
  if (description?.status.name !== 'COMPLETED') return { status: 'lost' };
  return { status: 'ended', end: endOf((await handleOf(site, name).result()) as OperationReport) };
}

/** Looks once what there is under an operation's id. */
export async function findOperation(site: Site, name: OperationName): Promise<FoundOperation> {
  const description = await describe(site, name);
  if (!description) return { status: 'none', fingerprint: null };
  const fingerprint = description.memo?.['fingerprint'];
  return {
    status: description.status.name === 'RUNNING' ? 'running' : 'closed',
    fingerprint: typeof fingerprint === 'string' ? fingerprint : null,
  };
}

const handleOf = (site: Site, { site: siteName, node, requestId }: OperationName) =>
  site.client.workflow.getHandle(operationWorkflowId(siteName, node, requestId));

async function describe(site: Site, name: OperationName): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await handleOf(site, name).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

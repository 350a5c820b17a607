import { WorkflowNotFoundError } from '@temporalio/client';
import { failure, notYet, RackwrightError } from '../core/errors/failure.ts';
import { operationWorkflowId } from '../core/names.ts';
import type { NodeRecord } from '../core/node.ts';
import type { OperationEnd, OperationReport } from '../core/operations.ts';
import { supportedVerbs } from '../core/plans/index.ts';
import type { LoadedNode, SavedNode, WatchedOperation } from '../core/site-activities.ts';
import type { Site } from './site.ts';

/** How often the second witness looks at a running operation. */
const WATCH_MS = 20_000;

/** Reads the node's record and what the contract says of it. A broken contract file is "not yet". */
export async function loadNode(site: Site, name: { site: string; node: string }): Promise<LoadedNode> {
  const record = (await site.records.read(name.site, name.node)) ?? null;
  const inventory = await site.inventory().catch((error: unknown) => {
    if (!(error instanceof RackwrightError)) throw error;
    throw new RackwrightError({ ...error.failure, retryable: true }, { retryAfterMs: 5000 });
  });
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
  const stored = await site.records.read(record.site, record.node);
  if (!stored) throw new RackwrightError(failure('UNEXPECTED', `The record of ${record.node} vanished.`));
  return { written: false, stored };
}

/** "Not yet" while the operation's workflow is open; then how it ended, or that it is lost. */
export async function watchOperation(
  site: Site,
  { site: siteName, node, requestId }: { site: string; node: string; requestId: string },
): Promise<WatchedOperation> {
  const handle = site.client.workflow.getHandle(operationWorkflowId(siteName, node, requestId));
  const description = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
  if (description?.status.name === 'RUNNING') {
    throw notYet('BUSY', `Operation ${requestId} of ${node} is running.`, WATCH_MS);
  }
  if (description?.status.name !== 'COMPLETED') return { status: 'lost' };
  return { status: 'ended', end: endOf((await handle.result()) as OperationReport) };
}

function endOf({ outcome, phase, residue, failure: f, data }: OperationReport): OperationEnd {
  return {
    outcome: outcome ?? 'error',
    phase,
    residue,
    ...(f ? { failure: f } : {}),
    ...(data['power'] === 'on' || data['power'] === 'off' ? { power: data['power'] } : {}),
  };
}

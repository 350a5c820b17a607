import type { Client } from '@temporalio/client';
import { watchWorkflowId, WORKFLOW_QUEUE } from '../../core/names.ts';
import { attribute } from '../../workflows/search-attributes.ts';
import type { watch } from '../../workflows/watch.ts';

/** Starts the watch of a site, unless it runs: whichever worker comes first. */
export async function ensureWatch(client: Pick<Client, 'workflow'>, site: string): Promise<void> {
  await client.workflow.start<typeof watch>('watch', {
    workflowId: watchWorkflowId(site),
    workflowIdConflictPolicy: 'USE_EXISTING',
    taskQueue: WORKFLOW_QUEUE,
    args: [{ site }],
    staticSummary: `Power and health of the nodes of ${site}`,
    typedSearchAttributes: [attribute('RackwrightSite', site)] as never,
  });
}

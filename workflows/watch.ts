import { continueAsNew, scheduleActivity, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { parseWatchInput } from '../core/messages.ts';
import { siteQueue, watchWorkflowId } from '../core/names.ts';
import { startedWrongly } from './failures.ts';

/** Input of workflow `watch`. Workers of the site start it; nobody else has to. */
export interface WatchInput {
  readonly site: string;
}

/**
 * Keeps one activity running that watches the power and the health of all nodes of a site. It returns after an
 * hour, or when its worker stops, and the next run begins another: histories stay at a few events. A worker that is
 * lost is noticed by its heartbeats; attempts are not counted, since the watch has no end.
 */
export async function watch(input: WatchInput): Promise<void> {
  const site = checked(input);
  setCurrentDetails(
    `Watches power and health of the nodes of **${site}**, and tells a node what changed. Terminated, it begins ` +
      'again with the next worker; `bmc.watch: off` in the inventory ends the looking.',
  );
  await scheduleActivity('watchNodes', [{ site }], {
    taskQueue: siteQueue(site),
    startToCloseTimeout: '3h',
    heartbeatTimeout: '30s',
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    summary: `Power and health of the nodes of ${site}`,
  });
  await continueAsNew<typeof watch>({ site });
}

/** The input of a start, which may come from anyone: wrong input or a wrong id fails the workflow at once. */
function checked(input: unknown): string {
  const parsed = parseWatchInput(input);
  if (!parsed.ok) {
    const { field, message } = parsed.problem;
    throw startedWrongly('INVALID_MESSAGE', `Input of watch: ${field} ${message}. Example: {"site": "lab"}`);
  }
  const id = watchWorkflowId(parsed.value.site);
  if (workflowInfo().workflowId !== id) {
    throw startedWrongly('INVALID_WORKFLOW_ID', `The workflow id of this watch must be ${id}.`);
  }
  return parsed.value.site;
}

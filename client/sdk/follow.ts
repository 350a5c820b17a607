import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { asRackwrightError } from '../../activities/temporal/client-errors.ts';

const QUERY_MS = 5000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;
/** How long a hold that was just resumed may still be seen. */
const STALE_HOLD_MS = 10_000;

/** What can be followed: an operation or an acceptance run. */
export interface Followed {
  readonly held: boolean;
}

export interface FollowOptions<Report extends Followed> {
  /** Called with every report that differs from the one before it. */
  readonly onReport?: ((report: Report) => void) | undefined;
  /** Told once when no worker answers. */
  readonly onSilence?: ((message: string) => void) | undefined;
  /** The report before a `resume`: a hold that looks the same is the old one. */
  readonly before?: Report | undefined;
}

/**
 * Waits until a workflow is over or held. It is looked at again and again: a call that waits for the end would be
 * left behind at a hold, and what is tried again of it after the connection was closed ends the process.
 *
 * @param query the one that answers with its report
 */
export async function follow<Report extends Followed>(
  client: Client,
  workflowId: string,
  query: string,
  options: FollowOptions<Report>,
): Promise<Report> {
  const handle = client.workflow.getHandle(workflowId);
  const began = Date.now();
  const stale = options.before === undefined ? undefined : JSON.stringify(options.before);
  let seen = '';
  let silent = false;

  for (let pause = FIRST_PAUSE_MS; ; await sleep(pause)) {
    if ((await status(client, handle)) !== 'RUNNING') return over(handle, options);
    try {
      const report = await client.connection.withDeadline(Date.now() + QUERY_MS, () =>
        handle.query<Report>(query),
      );
      const text = JSON.stringify(report);
      pause = text === seen ? Math.min(pause * 1.5, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
      const isOld = text === stale && Date.now() - began < STALE_HOLD_MS;
      if (text !== seen && !isOld) options.onReport?.(report);
      seen = text;
      if (report.held && !isOld) return report;
    } catch (error) {
      pause = LONGEST_PAUSE_MS;
      if (!silent) options.onSilence?.(asRackwrightError(error, `workflow ${workflowId}`).failure.message);
      silent = true;
    }
  }
}

/** Temporal's own word for how it stands; while nobody answers it is taken to run. */
async function status(client: Client, handle: WorkflowHandle): Promise<string> {
  try {
    return await client.connection.withDeadline(
      Date.now() + QUERY_MS,
      async () => (await handle.describe()).status.name,
    );
  } catch (error) {
    const ours = asRackwrightError(error, `workflow ${handle.workflowId}`);
    if (ours.failure.code === 'OPERATION_UNKNOWN') throw ours;
    return 'RUNNING';
  }
}

/** Its result, which wins over what a query says. */
async function over<Report extends Followed>(
  handle: WorkflowHandle,
  { onReport }: FollowOptions<Report>,
): Promise<Report> {
  try {
    const report = (await handle.result()) as Report;
    onReport?.(report);
    return report;
  } catch (error) {
    throw asRackwrightError(error, `workflow ${handle.workflowId}`);
  }
}

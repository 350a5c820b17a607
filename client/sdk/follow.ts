import type { Client } from '@temporalio/client';
import { asRackwrightError } from './errors.ts';

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
 * Waits until a workflow is over or held. Its result wins over what a query says.
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
  let over: Report | undefined;
  let problem: unknown;
  const ended = handle.result().then(
    (result) => void (over = result as Report),
    (error: unknown) => void (problem = error),
  );
  const began = Date.now();
  const stale = options.before === undefined ? undefined : JSON.stringify(options.before);
  let seen = '';
  let silent = false;
  let pause = FIRST_PAUSE_MS;

  for (;;) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, pause))]);
    if (problem !== undefined) throw asRackwrightError(problem, `workflow ${workflowId}`);
    if (over !== undefined) {
      options.onReport?.(over);
      return over;
    }
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

import { WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { AcceptanceInput } from '../../core/acceptance/report.ts';
import { withRun } from '../../core/acceptance/standing.ts';
import { fail, notYet } from '../../core/errors/failure.ts';
import { acceptanceWorkflowId } from '../../core/names.ts';
import type { Site } from '../site.ts';

/** How often a run that waits looks whether the other one is over. */
const LOOK_MS = 15_000;
/** How long a run waits for another one: a verdict of the night has to be there in the morning. */
const WAIT_MS = 6 * 3_600_000;

type Needs = Pick<Site, 'name' | 'standing' | 'client'>;

/**
 * Takes the site for a run: two never run at once, whoever started them. One that was lost, terminated say, has no
 * hold on it. Throws RUN_IN_PROGRESS; as a "not yet" where the run is to wait for one that goes on by itself.
 *
 * @param waitedMs how long the run has waited already
 */
export async function claimSite(
  site: Needs,
  { runId, whenBusy = 'refuse' }: Pick<AcceptanceInput, 'runId' | 'whenBusy'>,
  waitedMs: number,
): Promise<void> {
  for (;;) {
    const { running } = await site.standing.read(site.name);
    if (running && running.runId !== runId) {
      const other = await lookAt(site, running.runId);
      if (other) throw busy(site.name, running, other.heldAt, whenBusy === 'wait' && waitedMs < WAIT_MS);
    }
    const { running: now } = await site.standing.change(site.name, (standing) =>
      (standing.running?.runId ?? null) === (running?.runId ?? null)
        ? withRun(standing, runId, new Date().toISOString())
        : standing,
    );
    if (now?.runId === runId) return;
  }
}

function busy(
  site: string,
  { runId, since }: { runId: string; since: string },
  heldAt: string | null,
  wait: boolean,
) {
  if (heldAt !== null) {
    const message = `Run ${runId} of ${site}, of ${since}, is held at gate ${heldAt}: two runs of a site never overlap.`;
    return fail('RUN_IN_PROGRESS', message, {
      correction: `Correct what it is held for and \`rackwright acceptance resume ${runId}\`, or \`abort\` it; then start this run again.`,
    });
  }
  const message = `Run ${runId} of ${site} is under way since ${since}: two runs of a site never overlap.`;
  return wait ? notYet('RUN_IN_PROGRESS', message, LOOK_MS) : fail('RUN_IN_PROGRESS', message);
}

/** Whether a run goes on, and at which gate it is held. */
async function lookAt(
  { name, client }: Needs,
  runId: string,
): Promise<{ heldAt: string | null } | undefined> {
  try {
    const { status, typedSearchAttributes } = await client.workflow
      .getHandle(acceptanceWorkflowId(name, runId))
      .describe();
    if (status.name !== 'RUNNING') return undefined;
    const flags = typedSearchAttributes.get(
      defineSearchAttributeKey('RackwrightFlags', SearchAttributeType.KEYWORD_LIST),
    );
    const gate = typedSearchAttributes.get(
      defineSearchAttributeKey('RackwrightGate', SearchAttributeType.KEYWORD),
    );
    return { heldAt: flags?.includes('held') ? (gate ?? '?') : null };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

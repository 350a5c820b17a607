import {
  executeChild,
  ParentClosePolicy,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import {
  nightlyDetails,
  nightlyReport,
  nightlyRunId,
  parseNightlyInput,
  type NightlyReport,
} from '../core/acceptance/nightly.ts';
import { acceptanceWorkflowId, isNightlyWorkflowId, nightlyScheduleId } from '../core/names.ts';
import type { acceptance } from './acceptance.ts';
import { startedWrongly } from './failures.ts';
import { attribute } from './search-attributes.ts';

/** Input of workflow `nightly`. The schedule of the site starts it; `schedule trigger` starts one now. */
export interface NightlyInput {
  readonly site: string;
}

/**
 * Runs the gates of a site without anybody there, and waits for the verdict: as long as it does, the schedule starts
 * no other. What is red ends the run at once; a run of somebody else is waited for.
 */
export async function nightly(input: NightlyInput): Promise<NightlyReport> {
  const site = checked(input);
  const runId = nightlyRunId(workflowInfo().startTime);
  const workflowId = acceptanceWorkflowId(site, runId);
  upsertSearchAttributes([attribute('RackwrightSite', site)]);
  setCurrentDetails(`### Nightly acceptance of ${site}: running\n\nThe run is workflow \`${workflowId}\`.`);
  const report = await executeChild<typeof acceptance>('acceptance', {
    workflowId,
    args: [{ site, runId, onFailure: 'fail', whenBusy: 'wait' }],
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    // Whoever ends this ends the run: it is aborted, and cleans up.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    staticSummary: `Nightly acceptance of ${site}`,
  });
  const told = nightlyReport(report);
  const { outcome, stoppedAt, faultDomain } = told;
  upsertSearchAttributes([
    attribute('RackwrightOutcome', outcome),
    attribute('RackwrightGate', stoppedAt === null ? null : String(stoppedAt)),
    attribute('RackwrightFaultDomain', faultDomain),
  ]);
  setCurrentDetails(nightlyDetails(told));
  return told;
}

/** The input of a start, which may come from anyone: wrong input or a wrong id fails the workflow at once. */
function checked(input: unknown): string {
  const parsed = parseNightlyInput(input);
  if (!parsed.ok) throw startedWrongly('INVALID_MESSAGE', `${parsed.message} Example: {"site": "lab"}`);
  const { site } = parsed;
  if (!isNightlyWorkflowId(workflowInfo().workflowId, site)) {
    throw startedWrongly(
      'INVALID_WORKFLOW_ID',
      `The workflow id of this run must be ${nightlyScheduleId(site)}, or that with the time of the schedule.`,
    );
  }
  return site;
}

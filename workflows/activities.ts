import { ActivityCancellationType, proxyActivities, scheduleActivity } from '@temporalio/workflow';
import type { CheckInput, CheckResult, PlannedCheck } from '../core/acceptance/report.ts';
import type { SiteActivities } from '../core/site-activities.ts';
import type { JsonObject } from '../core/json.ts';
import { siteQueue } from '../core/names.ts';
import type { Captured, StepInput, StepOutput } from '../core/operations.ts';
import { ATTEMPT_GRACE_SECONDS, type Fact, type Residue, type Step } from '../core/steps.ts';

/** A lost worker is noticed after this time; every attempt heartbeats in the background. */
const HEARTBEAT = '10s';

/** The activities that every site has, whatever its drivers. Stores answer in milliseconds: retried for ever. */
export const siteActivities = (site: string): SiteActivities =>
  proxyActivities<SiteActivities>({
    taskQueue: siteQueue(site),
    startToCloseTimeout: '30s',
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    cancellationType: ActivityCancellationType.TRY_CANCEL,
  });

/** Tells the contract's webhook: tried again for a minute, since whoever awaits the run waits, too; then with the next run. */
export const webhook = (site: string): Pick<SiteActivities, 'tellVerdict'> =>
  proxyActivities<SiteActivities>({
    taskQueue: siteQueue(site),
    startToCloseTimeout: '25s',
    scheduleToCloseTimeout: '60s',
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '1s', maximumInterval: '15s' },
  });

/** Runs one step. An attempt and all attempts together are bounded by the plan. */
export function runStep(driver: string, step: Step, input: StepInput): Promise<StepOutput> {
  const { bounds } = step;
  return scheduleActivity<StepOutput>(`${driver}.${step.id}`, [input], {
    taskQueue: siteQueue(input.ref.site),
    startToCloseTimeout: (Math.min(bounds.attempt, bounds.total) + ATTEMPT_GRACE_SECONDS) * 1000,
    scheduleToCloseTimeout: (bounds.total + ATTEMPT_GRACE_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: bounds.retryFirst * 1000, maximumInterval: bounds.retryMax * 1000 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: step.title,
  });
}

/** Makes one check of a gate. An attempt and all attempts together are bounded by the plan. */
export function runCheck({ id, title, bounds }: PlannedCheck, input: CheckInput): Promise<CheckResult> {
  return scheduleActivity<CheckResult>(`gates.${id}`, [input], {
    taskQueue: siteQueue(input.site),
    startToCloseTimeout: (Math.min(bounds.attempt, bounds.total) + ATTEMPT_GRACE_SECONDS) * 1000,
    scheduleToCloseTimeout: (bounds.total + ATTEMPT_GRACE_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '2s', maximumInterval: '15s' },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: title,
  });
}

/** What is true of the world now, of the facts asked. */
export const checkFacts = (
  driver: string,
  input: StepInput & { readonly ask: readonly Fact[] },
): Promise<{ [fact: Fact]: boolean }> =>
  driverActivity(driver, 'facts', input, 300, 'Which facts still hold');

/** Makes the node safe: removes what the operation may have left. Returns what could not be removed. */
export const settle = (
  driver: string,
  input: StepInput & { readonly residue: readonly Residue[] },
): Promise<{ left: Residue[]; summary: string; data?: JsonObject }> =>
  driverActivity(driver, 'settle', input, 900, `Remove ${input.residue.join(', ')}`);

/** Keeps the state at the moment of a failure as evidence; what it found out of the node counts. */
export async function capture(driver: string, input: StepInput): Promise<Captured> {
  const answer = await driverActivity<Captured | Captured['evidence']>(
    driver,
    'capture',
    input,
    120,
    'Keep the failing state',
  );
  // Workers of an earlier version told of the evidence only.
  return Array.isArray(answer) ? { evidence: answer as Captured['evidence'] } : (answer as Captured);
}

function driverActivity<T>(
  driver: string,
  name: string,
  input: StepInput,
  total: number,
  summary: string,
): Promise<T> {
  return scheduleActivity<T>(`${driver}.${name}`, [input], {
    taskQueue: siteQueue(input.ref.site),
    startToCloseTimeout: '60s',
    scheduleToCloseTimeout: total * 1000,
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '1s', maximumInterval: '10s' },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary,
  });
}

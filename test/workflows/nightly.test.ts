import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CheckContext, GateCheck } from '../../activities/gates/check.ts';
import { applyNightly, described } from '../../activities/schedules/nightly.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import { Schedules } from '../../client/sdk/schedules.ts';
import type { Nightly } from '../../contracts/inventory/policy.ts';
import { check } from '../../core/acceptance/check.ts';
import type { NightlyReport } from '../../core/acceptance/nightly.ts';
import type { AcceptanceReport, CheckResult } from '../../core/acceptance/report.ts';
import { failure } from '../../core/errors/failure.ts';
import { acceptanceWorkflowId, nightlyScheduleId, WORKFLOW_QUEUE } from '../../core/names.ts';
import { reconcileSchedule } from '../../workers/temporal/schedules.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, SITE, until } from './support.ts';

let house: House;
let runs: AcceptanceRuns;
let schedules: Schedules;
let script: (context: CheckContext) => Promise<CheckResult>;
/** How many checks ran, how many run now, and how many ran at once at most. */
let count: { begun: number; now: number; most: number };
/** Lets go whatever waits. */
let release: () => void;
let released: Promise<void>;

const PASS: CheckResult = { outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] };
const BROKEN: CheckResult = {
  ...PASS,
  outcome: 'fail',
  findings: [
    { target: 'c1', failure: failure('CHECK_FAILED', 'The clock is off.', { faultDomain: 'control-host' }) },
  ],
};
const CHECKS: readonly GateCheck[] = [
  {
    check: check({
      id: 'a1',
      gate: 1,
      title: 'Check 1',
      shows: '',
      from: 'worker',
      faultDomain: 'control-host',
    }),
    run: async (context) => {
      count.begun += 1;
      count.now += 1;
      count.most = Math.max(count.most, count.now);
      try {
        return await script(context);
      } finally {
        count.now -= 1;
      }
    },
  },
];

/** Never by itself while a test runs. */
const YEARLY: Nightly = { schedule: '0 0 29 2 *', timeZone: 'UTC' };
/** Temporal knows seconds; the inventory's five fields do not. */
const EACH_SECOND: Nightly = { schedule: '* * * * * * *', timeZone: 'UTC' };

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  await house.stopWorkers('activities');
  house.checks = CHECKS;
  await house.startActivities();
  runs = new AcceptanceRuns(house.environment.client, SITE);
  schedules = new Schedules(house.environment.client, SITE);
});
afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});
beforeEach(() => {
  script = async () => PASS;
  count = { begun: 0, now: 0, most: 0 };
  released = new Promise((resolve) => (release = resolve));
  house.inventory = { ...INVENTORY, acceptance: { gates: [1] } };
});
afterEach(async () => {
  release();
  await applyNightly(house.environment.client, { site: SITE });
  await until(async () => (await runs.list({ running: true })).length === 0, { what: 'the end of all runs' });
});

const client = () => house.environment.client;
const apply = (nightly: Nightly | undefined) =>
  applyNightly(client(), { site: SITE, ...(nightly ? { nightly } : {}) });
const schedule = () => described(client(), SITE);
const waits = async (): Promise<CheckResult> => {
  await released;
  return PASS;
};

async function start(id = nightlyScheduleId(SITE)): Promise<NightlyReport> {
  const handle = await house.client.start('nightly', {
    workflowId: id,
    taskQueue: WORKFLOW_QUEUE,
    args: [{ site: SITE }],
  });
  return (await handle.result()) as NightlyReport;
}

describe('a nightly run', () => {
  it('ends with the verdict of the acceptance run that it awaited', async () => {
    const told = await start();
    expect(told).toMatchObject({ site: SITE, outcome: 'pass', stoppedAt: null, failure: null });
    expect(told.runId).toMatch(/^nightly-\d{8}T\d{6}\.\d{3}Z$/);
    expect(await runs.report(told.runId)).toMatchObject({ outcome: 'pass', site: SITE });
  });

  it('does not hold, whatever the contract says: it fails', async () => {
    house.inventory = { ...INVENTORY, acceptance: { gates: [1], onFailure: 'hold' } };
    script = async () => BROKEN;
    expect(await start()).toMatchObject({
      outcome: 'fail',
      stoppedAt: 1,
      faultDomain: 'control-host',
      failure: { code: 'CHECK_FAILED' },
    });
  });

  it('waits for the run of somebody else, and says so of one that is held', async () => {
    script = async () => BROKEN;
    const { runId } = await runs.start({ onFailure: 'hold' });
    await until(async () => (await runs.report(runId)).held);
    expect(await start()).toMatchObject({
      outcome: 'fail',
      failure: { code: 'RUN_IN_PROGRESS', message: expect.stringMatching(/held at gate 1/) },
    });
    await runs.control(runId, 'abort', { reason: 'enough' });
  });

  it('that is cancelled aborts its run', async () => {
    script = ({ signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    const told = start();
    await until(() => count.now === 1);
    await house.client.getHandle(nightlyScheduleId(SITE)).cancel();
    expect(await told).toMatchObject({ outcome: 'aborted' });
  });

  it('that is terminated leaves no run behind', async () => {
    script = ({ signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    const told = start().catch(() => undefined);
    await until(() => count.now === 1);
    await until(async () => (await runs.list({ running: true })).length === 1);
    const [row] = await runs.list({ running: true });
    await house.client.getHandle(nightlyScheduleId(SITE)).terminate('by hand');
    await told;
    const report = (await house.client
      .getHandle(acceptanceWorkflowId(SITE, row!.runId))
      .result()) as AcceptanceReport;
    expect(report.outcome).toBe('aborted');
  });

  it.each<[string, unknown, string]>([
    [`nightly/${SITE}x`, { site: SITE }, 'INVALID_WORKFLOW_ID'],
    [`nightly/${SITE}`, { site: 7 }, 'INVALID_MESSAGE'],
    [`nightly/${SITE}`, null, 'INVALID_MESSAGE'],
  ])('started wrongly, as %s with %j, fails at once', async (workflowId, input, type) => {
    const handle = await house.client.start('nightly', {
      workflowId,
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type } });
  });
});

describe('the schedule', () => {
  it('fires, and starts no run while the one before goes on, nor while somebody else has one', async () => {
    script = waits;
    await apply(EACH_SECOND);
    await until(() => count.now === 1, { what: 'the first run' });
    await until(async () => ((await schedule())?.info.numActionsSkippedOverlap ?? 0) >= 2, {
      what: 'two skipped runs',
    });
    expect(count).toEqual({ begun: 1, now: 1, most: 1 });
    const [row] = await schedules.list();
    expect(row!.started[0]).toMatchObject({ running: true });
    expect(row!.skipped).toBeGreaterThanOrEqual(2);
    await expect(schedules.trigger()).rejects.toMatchObject({ failure: { code: 'RUN_IN_PROGRESS' } });
    const other = await runs.start({});
    expect(await house.client.getHandle(other.workflowId).result()).toMatchObject({
      failure: { code: 'RUN_IN_PROGRESS' },
    });
    release();
    await until(() => count.begun >= 3, { what: 'runs after it' });
    await schedules.pause('enough');
    for (const { workflow } of (await schedule())!.info.runningActions) {
      await house.client.getHandle(workflow.workflowId).result();
    }
    expect(count.most).toBe(1);
  });

  it('is made, changed and deleted as the contract says, and not written where nothing changed', async () => {
    expect(await apply(undefined)).toBe('none');
    expect(await apply(YEARLY)).toBe('created');
    const made = await schedule();
    expect(made).toMatchObject({
      policies: { overlap: 'SKIP', catchupWindow: 3_600_000, pauseOnFailure: false },
      action: { workflowType: 'nightly', workflowId: nightlyScheduleId(SITE), args: [{ site: SITE }] },
    });
    expect(await apply(YEARLY)).toBe('unchanged');
    expect((await schedule())!.info.lastUpdatedAt).toEqual(made!.info.lastUpdatedAt);
    const changed = { ...YEARLY, timeZone: 'Europe/Berlin', jitter: 600, catchUpWindow: 60 };
    expect(await apply(changed)).toBe('updated');
    expect(await schedule()).toMatchObject({
      spec: { timezone: 'Europe/Berlin', jitter: 600_000 },
      policies: { catchupWindow: 60_000 },
    });
    expect(await apply(undefined)).toBe('deleted');
    expect(await schedule()).toBeUndefined();
  });

  it('is made once by several workers at once', async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => apply(YEARLY)));
    expect(applied.filter((each) => each === 'created').length).toBeGreaterThanOrEqual(1);
    expect(applied.every((each) => each === 'created' || each === 'unchanged')).toBe(true);
    expect(await schedules.list()).toHaveLength(1);
  });

  it('that is paused stays so, through worker starts, changes and `apply`, until somebody resumes it', async () => {
    const { log } = house.site;
    house.inventory = { ...house.inventory, nightly: YEARLY };
    await reconcileSchedule(client(), house.site, log);
    await schedules.pause('holidays');
    await reconcileSchedule(client(), house.site, log);
    house.inventory = { ...house.inventory, nightly: { ...YEARLY, jitter: 60 } };
    await reconcileSchedule(client(), house.site, log);
    expect(await schedules.apply(house.inventory)).toBe('updated');
    expect(await schedules.list()).toMatchObject([{ paused: true, note: 'holidays', next: [] }]);
    expect(await schedules.resume('back')).toMatchObject({ paused: false, note: 'back' });
    const { nightly: _gone, ...without } = house.inventory;
    house.inventory = without;
    await reconcileSchedule(client(), house.site, log);
    expect(await schedules.list()).toEqual([]);
  });

  it('starts a run now when it is triggered, also while it is paused', async () => {
    await apply(YEARLY);
    await schedules.pause('holidays');
    await schedules.trigger();
    await until(async () => {
      const [row] = await runs.list();
      return count.begun === 1 && row?.runId.startsWith('nightly-') === true && row.outcome === 'pass';
    });
    const [row] = await schedules.list();
    expect(row).toMatchObject({ paused: true });
    expect(row!.started[0]!.workflowId).toMatch(new RegExp(`^nightly/${SITE}-\\d{4}-`));
  });

  it('that Temporal does not take is told by `apply`, and keeps no worker from its work', async () => {
    const wrong = { schedule: '61 * * * *', timeZone: 'UTC' };
    await expect(apply(wrong)).rejects.toMatchObject({ failure: { code: 'SCHEDULE_REFUSED' } });
    house.inventory = { ...house.inventory, nightly: wrong };
    await reconcileSchedule(client(), house.site, house.site.log);
    expect(await schedule()).toBeUndefined();
  });

  it('that is not there can neither be paused, nor resumed, nor triggered', async () => {
    for (const call of [() => schedules.pause('x'), () => schedules.resume('x'), () => schedules.trigger()]) {
      await expect(call()).rejects.toMatchObject({ failure: { code: 'SCHEDULE_UNKNOWN' } });
    }
  });
});

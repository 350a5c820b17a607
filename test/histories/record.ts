import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import { check } from '../../core/acceptance/check.ts';
import type { CheckResult } from '../../core/acceptance/report.ts';
import { fail, failure } from '../../core/errors/failure.ts';
import { acceptanceWorkflowId, nightlyScheduleId, WORKFLOW_QUEUE } from '../../core/names.ts';
import { ensureWatch } from '../../workers/temporal/watch.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, SITE, until } from '../workflows/support.ts';

/** Writes the history of a workflow to where the kept ones are. */
async function keep(name: string, handle: WorkflowHandle): Promise<void> {
  const history = temporal.api.history.v1.History.toObject(
    temporal.api.history.v1.History.fromObject(await handle.fetchHistory()),
    { enums: String, longs: String, bytes: String },
  );
  const text = JSON.stringify({ workflowId: handle.workflowId, history });
  await writeFile(`test/histories/${name}.json.gz`, await promisify(gzip)(text, { level: 9 }));
}

/** Records the histories that are kept: what later versions of the workflows have to be able to go on with. */
export async function record(): Promise<void> {
  const house = await House.build(await createLocalEnvironment());
  const { script } = house.driver;
  const idle = () => until(async () => (await house.state()).operation === null);
  const held = () => until(async () => (await house.state()).operation?.held === true);

  house.answerCallbacks();
  await house.makeAvailable();
  await house.entity().signal('reimage', { requestId: 'refused', image: 'a' });
  await house.result('refused');
  await house.run('deploy', { image: 'a', owner: 'team-a', requestId: 'deploy' });

  let broken = true;
  script['verify-image'] = async () => {
    if (broken) throw fail('FIRST_BOOT_SILENT', 'scripted');
    return undefined;
  };
  await house.send('reimage', { image: 'b', requestId: 'held' });
  await held();
  broken = false;
  await house.send('resume');
  await house.result('held');
  await idle();
  broken = true;
  await house.send('reimage', { image: 'b', requestId: 'abort' });
  await held();
  await house.send('abort', { reason: 'recorded' });
  await house.result('abort');
  await idle();
  await house.send('reimage', { image: 'b', requestId: 'lost' });
  await held();
  await house.operation('lost').terminate('recorded');
  await until(async () => (await house.state()).operation?.kind === 'cleanup');
  const cleanup = (await house.state()).operation!.requestId;
  await house.result(cleanup);
  await idle();
  await house.send('maintenance', { on: true, reason: 'recorded' });

  await house.open('n2');
  const see = async (seen: object): Promise<void> => {
    const generation = (await house.records.read(SITE, 'n2'))?.generation ?? 0;
    await house.entity('n2').signal('observed', { generation, at: '2026-03-01T10:00:00Z', ...seen });
    await until(async () => ((await house.records.read(SITE, 'n2'))?.generation ?? 0) > generation);
  };
  await see({ reachable: true, power: 'on', health: 'OK' });
  await see({ reachable: true, power: 'off' });
  await see({ reachable: false, why: 'BMC_UNREACHABLE' });
  await see({ reachable: true, power: 'off', health: 'Warning' });
  await house.entity('n2').signal('observed', 'nonsense');
  await house.send('power', { requestId: 'power', state: 'on' }, 'n2');
  await house.result('power', 'n2');
  await ensureWatch(house.environment.client, SITE);
  const { runId } = await house.client.getHandle(`watch/${SITE}`).describe();
  const watch = house.client.getHandle(`watch/${SITE}`, runId);
  await until(async () => (await watch.describe()).raw.pendingActivities?.[0]?.lastStartedTime != null);
  await house.stopWorkers('activities');
  await until(async () => (await watch.describe()).status.name === 'CONTINUED_AS_NEW');

  for (const name of ['deploy', 'refused', 'held', 'abort']) await keep(name, house.operation(name));
  await keep('cleanup', house.operation(cleanup));
  await keep('node', house.entity());
  await keep('seen', house.entity('n2'));
  await keep('watch', watch);
  await house.close();
  await house.environment.teardown();
}

/**
 * Records an acceptance run that is held, resumed, leaves a gate out and tells a webhook in vain; and a nightly one.
 */
export async function recordAcceptance(): Promise<void> {
  const house = await House.build(await createLocalEnvironment());
  await house.stopWorkers('activities');
  const pass: CheckResult = { outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] };
  const wrong = failure('CHECK_FAILED', 'etcd has no quorum.', { faultDomain: 'kubernetes' });
  let broken = true;
  house.checks = ([1, 2, 7] as const).map((gate) => ({
    check: check({
      id: `a${gate}`,
      gate,
      title: `Check ${gate}`,
      shows: 'It is as it should be.',
      from: 'worker',
      faultDomain: 'kubernetes',
    }),
    run: async () =>
      gate === 2 && broken
        ? { ...pass, outcome: 'fail' as const, findings: [{ target: 'c1', failure: wrong }] }
        : pass,
  }));
  house.inventory = {
    ...INVENTORY,
    maintenance: { timeZone: 'UTC', windows: [{ days: ['mon'], from: '03:00', to: '03:01' }] },
    acceptance: { gates: [1, 2, 7], webhook: { url: 'http://127.0.0.1:9/nobody' } },
  };
  await house.startActivities();
  const runs = new AcceptanceRuns(house.environment.client, SITE);
  const { runId } = await runs.start({ runId: 'recorded' });
  await until(async () => (await runs.report(runId)).held);
  broken = false;
  await runs.control(runId, 'resume', {});
  const run = house.client.getHandle(acceptanceWorkflowId(SITE, runId));
  await run.result();
  house.inventory = { ...house.inventory, acceptance: { gates: [1, 2, 7] } };
  const nightly = await house.client.start('nightly', {
    workflowId: nightlyScheduleId(SITE),
    taskQueue: WORKFLOW_QUEUE,
    args: [{ site: SITE }],
  });
  await nightly.result();
  await keep('acceptance', run);
  await keep('nightly', nightly);
  await house.close();
  await house.environment.teardown();
}

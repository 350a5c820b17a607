import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, NODE, SITE, until } from './support.ts';

// Gate 7 where its node says no. What it does with a node that says yes is played against the lab: test/e2e.

const OTHER = 'n2';

let house: House;
let runs: AcceptanceRuns;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  await house.stopWorkers('activities');
  house.checks = GATE_CHECKS;
  house.answerCallbacks();
  await house.startActivities();
  runs = new AcceptanceRuns(house.environment.client, SITE);
});
afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

async function run(acceptance: object): Promise<AcceptanceReport> {
  house.inventory = { ...INVENTORY, acceptance };
  const { runId } = await runs.start({ gates: [7], onFailure: 'fail' });
  return house.client.getHandle(`acceptance/${SITE}/${runId}`).result() as Promise<AcceptanceReport>;
}

const outcomes = ({ gates }: AcceptanceReport) =>
  Object.fromEntries(gates[0]!.checks.map(({ id, outcome }) => [id, outcome]));

it('the node refuses the request: that check fails, with the reason, and nothing is taken back', async () => {
  await house.open();
  await house.run('enroll');
  await house.run('clean', { erase: 'metadata' });
  const report = await run({ node: NODE, image: 'a' });
  expect(report).toMatchObject({ outcome: 'fail', stoppedAt: 7, failure: { code: 'ERASE_REQUIRED' } });
  expect(outcomes(report)).toMatchObject({
    'node-available': 'pass',
    'server-requested': 'fail',
    'image-written': 'error',
    'server-active': 'error',
    'states-captured': 'pass',
    'server-released': 'skipped',
  });
  expect(await house.state()).toMatchObject({ phase: 'available', operation: null });
});

describe('a deployment that does not go its way', () => {
  /** As the gate's checks, but for what a test does before the clean-up. */
  async function disturbed(before: () => Promise<unknown>): Promise<AcceptanceReport> {
    await house.stopWorkers('activities');
    house.checks = GATE_CHECKS.map((each) =>
      each.check.id === 'states-captured'
        ? {
            ...each,
            run: async () => {
              await before();
              return { outcome: 'pass', summary: '', findings: [], targets: 1, evidence: [] };
            },
          }
        : each,
    );
    await house.startActivities();
    const report = await run({ node: OTHER, image: 'a' });
    await house.stopWorkers('activities');
    house.checks = GATE_CHECKS;
    await house.startActivities();
    return report;
  }
  const released = ({ gates }: AcceptanceReport) =>
    gates[0]!.checks.find(({ id }) => id === 'server-released')!;

  it('and the node is another’s by the time of the clean-up: it is not touched', async () => {
    await house.makeAvailable(OTHER);
    const report = await disturbed(async () => {
      await house.run('release', {}, OTHER);
      await house.run('deploy', { image: 'b', owner: 'team-x' }, OTHER);
    });
    expect(released(report)).toMatchObject({ outcome: 'fail' });
    expect(released(report).findings![0]!.failure.message).toContain('belongs to team-x');
    expect(await house.state(OTHER)).toMatchObject({ phase: 'active', owner: 'team-x', operation: null });
    await house.run('release', {}, OTHER);
  });

  it('and its workflow is terminated: that is told at once, and the node is released', async () => {
    const { script } = house.driver;
    script['write-image'] = async ({ ref }) => {
      await house.operation(ref.requestId, OTHER).terminate('by a test');
      return undefined;
    };
    house.inventory = { ...INVENTORY, acceptance: { node: OTHER, image: 'a' } };
    const { runId } = await runs.start({ gates: [7], onFailure: 'fail' });
    const active = async () =>
      (await runs.report(runId)).gates[0]?.checks.find(({ id }) => id === 'server-active');
    await until(async () => (await active())?.outcome !== undefined);
    expect((await active())!.findings![0]!.failure).toMatchObject({ code: 'OPERATION_LOST' });
    delete script['write-image'];
    await until(async () => (await house.records.read(SITE, OTHER))?.phase === 'available');
    expect(await house.state(OTHER)).toMatchObject({ owner: null });
    // What its BMC reads after the release is waited for: there is none.
    for (const reason of ['enough', 'of that, too']) await runs.control(runId, 'abort', { reason });
    expect(await house.client.getHandle(`acceptance/${SITE}/${runId}`).result()).toMatchObject({
      outcome: 'aborted',
    });
  });
});

it.each([{}, { node: NODE }, { image: 'a' }])(
  'a contract with nodes that does not say which one, and which image, fails: %j',
  async (acceptance) => {
    const report = await run(acceptance);
    expect(report).toMatchObject({
      outcome: 'fail',
      failure: {
        code: 'CONTRACT_INVALID',
        faultDomain: 'contract',
        correction: expect.stringContaining('acceptance.'),
      },
    });
  },
);

it('a site without nodes has nothing to show here', async () => {
  house.inventory = { ...INVENTORY, nodes: [] };
  const { runId } = await runs.start({ gates: [7], onFailure: 'fail' });
  const report = (await house.client.getHandle(`acceptance/${SITE}/${runId}`).result()) as AcceptanceReport;
  expect(report.gates[0]).toMatchObject({ outcome: 'skipped' });
  expect(new Set(Object.values(outcomes(report)))).toEqual(new Set(['skipped']));
});

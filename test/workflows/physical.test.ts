import { afterAll, beforeAll, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, NODE, SITE } from './support.ts';

// Gate 7 where its node says no. What it does with a node that says yes is played against the lab: test/e2e.

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

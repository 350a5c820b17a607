import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedError } from '../../../../activities/drivers/redfish/survey.ts';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import { RackwrightError } from '../../../../core/errors/failure.ts';
import type { SurveyDifference } from '../../../../core/redfish/survey.ts';
import { startBench, type Bench } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 1 });
});
afterAll(() => bench.close());

const NODE = 'node-001';

describe('what a node is like, before and after', () => {
  it('counts only once it was as before on two looks in a row', async () => {
    const operation = bench.begin('service', NODE, { steps: ['firmware'] });
    await operation.run('survey');
    const { data, summary } = operation.outputs.get('survey')!;
    expect(summary).toContain('2 NICs, 8 GPUs, 2 drives; 3 firmware components');
    expect(data).toMatchObject({ power: 'off', survey: { boot: { mode: 'UEFI', override: 'none' } } });
    const looked = redfishDriver.steps['compare-survey']!(operation.context('compare-survey'));
    await expect(looked).rejects.toMatchObject({ failure: { code: 'NODE_CHANGED', retryable: true } });
    expect((await operation.step('compare-survey')).summary).toContain('two looks in a row');
    operation.end();
  });

  it('is not forgotten by a second look: what changed since is still a change', async () => {
    const operation = bench.begin('service', NODE, { steps: ['firmware'] });
    await operation.run('survey');
    await bench.faults(NODE, { nicMissing: true });
    await operation.step('survey');
    const seen = await redfishDriver.steps['compare-survey']!(operation.context('compare-survey')).catch(
      (error: unknown) => error,
    );
    await bench.faults(NODE, { nicMissing: false });
    expect(seen).toBeInstanceOf(RackwrightError);
    expect((seen as RackwrightError).failure).toMatchObject({
      code: 'NODE_CHANGED',
      faultDomain: 'hardware',
    });
    expect((seen as RackwrightError).message).toMatch(/NIC .*52:54:01:00:01:01 is gone/);
    operation.end();
  });

  it('puts the power back, on and off', async () => {
    for (const [state, power] of [
      ['off', 'Off'],
      ['on', 'On'],
    ] as const) {
      const before = bench.begin('power', NODE, { state });
      await before.run();
      before.end();
      const operation = bench.begin('service', NODE, { steps: ['firmware'] });
      await operation.run('survey');
      const other = bench.begin('power', NODE, { state: state === 'on' ? 'off' : 'on' });
      await other.run();
      other.end();
      await operation.step('restore-power');
      expect((await bench.server(NODE)).power).toBe(power);
      operation.end();
    }
  });
});

it('gives a machine that starts its time, and a flipped setting less', () => {
  const missing = [{ what: 'GPU is gone', faultDomain: 'hardware' as const, missing: true }];
  const flipped = [{ what: 'the boot mode', faultDomain: 'firmware' as const, missing: false }];
  const final = (differences: readonly SurveyDifference[], seconds: number): boolean =>
    !(changedError(differences, seconds * 1000) as RackwrightError).failure.retryable;
  expect([final(missing, 300), final(missing, 900)]).toEqual([false, true]);
  expect([final(flipped, 60), final(flipped, 120), final([...missing, ...flipped], 120)]).toEqual([
    false,
    true,
    true,
  ]);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { fail } from '../../core/errors/failure.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, until } from './support.ts';

// A flash that is under way cannot be taken back: what an abort, a deadline or a hold does to it, and what is said.

let house: House;
beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.answerCallbacks();
  house.driver.script['inspect'] = async () => ({ summary: 'it is off', data: { power: 'off' } });
  await house.makeAvailable();
  house.driver.capture = async () => ({ state: 'captured', power: 'on' });
});
afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

const idle = () => until(async () => (await house.state()).operation === null);
const FLASH = { steps: ['firmware'] };

/** Makes the update go on until it is cut off. */
function flash(): () => boolean {
  let began = false;
  house.driver.script['update-firmware'] = (_input, { signal }) => {
    began = true;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  return () => began;
}

it.each([
  ['an abort', {}, 'aborted', 'ABORTED'],
  ['a deadline', { deadline: '12s' }, 'fail', 'DEADLINE_EXCEEDED'],
])('%s switches nothing off, and says that the update goes on', async (_what, args, outcome, code) => {
  house.driver.settled.length = 0;
  const began = flash();
  const { operationId } = await house.send('service', { ...FLASH, ...args });
  await until(began);
  if (code === 'ABORTED') await house.send('abort', { reason: 'not now' });
  const report = await house.result(operationId);
  expect(report).toMatchObject({ outcome, phase: 'service-failed', residue: [], failure: { code } });
  expect(report.failure?.message).toContain('goes on on the BMC');
  expect(report.evidence.map(({ name }) => name)).toContain('failing-state');
  expect(house.driver.settled).toEqual([]);
  await idle();
  // It is at work, and what was seen may be otherwise in a moment.
  expect((await house.state()).power).toBe('unknown');
});

it('a hold switches nothing off either; a resume goes on with the update', async () => {
  house.driver.settled.length = 0;
  let broken = true;
  house.driver.script['update-firmware'] = async () => {
    if (broken) throw fail('FIRMWARE_UPDATE_FAILED', 'the flash did not verify');
    return undefined;
  };
  const { operationId } = await house.send('service', { ...FLASH, onFailure: 'hold' });
  await until(async () => (await house.state()).operation?.held === true);
  expect(house.driver.settled).toEqual([]);
  broken = false;
  house.driver.calls.length = 0;
  await house.send('resume');
  expect((await house.result(operationId)).outcome).toBe('pass');
  expect(house.driver.calls).toEqual(['update-firmware', 'compare-survey', 'restore-power']);
  await idle();
});

it('a node that is not what it was has drifted, also where the operation was held and aborted', async () => {
  house.driver.script['compare-survey'] = async () => {
    throw fail('NODE_CHANGED', 'NIC is gone', { faultDomain: 'hardware' });
  };
  const { operationId } = await house.send('service', { ...FLASH, onFailure: 'hold' });
  await until(async () => (await house.state()).operation?.held === true);
  await house.send('abort', { reason: 'a card has to be reseated' });
  const report = await house.result(operationId);
  expect(report.outcome).toBe('aborted');
  expect(report.failure?.message).not.toContain('goes on');
  await idle();
  expect((await house.state()).flags.drift).toBe('NIC is gone');
});

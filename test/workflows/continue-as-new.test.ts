import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail } from '../../core/errors/failure.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, refusalOf, until } from './support.ts';

let house: House;

beforeAll(async () => {
  house = await House.build(
    await createLocalEnvironment({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 40 } }),
  );
  house.driver.script['set-power'] = async () => undefined;
  await house.open();
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

const run = async (): Promise<string> => (await house.entity().describe()).runId;

/** Sends flags until the entity has begun its next run, and one more time. */
async function nextRun(): Promise<void> {
  const before = await run();
  for (let at = 0; (await run()) === before; at++) {
    if (at > 100) throw new Error('the entity does not continue as new');
    await house.send('maintenance', { on: true, reason: `r${at}` });
  }
  await house.send('maintenance', { on: false, reason: 'over' });
}

describe('over the runs of an entity', () => {
  it('requestIds, flags and refused messages are kept', async () => {
    await house.send('power', { requestId: 'p1', state: 'on' });
    expect((await house.result('p1')).outcome).toBe('pass');
    await house.send('quarantine', { reason: 'stays' });
    await house.entity().signal('deploy', 'wrong');
    await nextRun();
    const calls = house.driver.calls.length;
    const message = { requestId: 'p1', state: 'on' };
    expect((await house.send('power', message)).operationId).toBe('p1');
    await house.entity().signal('power', message);
    expect(await refusalOf(house.send('power', { ...message, state: 'off' }))).toBe('REQUEST_ID_REUSED');
    expect(await house.state()).toMatchObject({
      phase: 'enrolled',
      operation: null,
      flags: { quarantined: 'stays' },
      refused: [{ verb: 'deploy', code: 'INVALID_MESSAGE' }],
    });
    expect(house.driver.calls.length).toBe(calls);
    await house.send('unquarantine', { reason: 'over' });
  });

  it('an operation that runs, or is held, is not forgotten, and its end is heard', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    house.driver.script['inspect'] = async () => {
      await gate;
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    await house.send('enroll', { requestId: 'long' });
    await until(async () => (await house.state()).phase === 'inspecting');
    await nextRun();
    expect(await house.state()).toMatchObject({ phase: 'inspecting', operation: { requestId: 'long' } });
    expect(await refusalOf(house.send('inspect'))).toBe('BUSY');
    release();
    await until(async () => (await house.state()).operation?.held === true);
    await nextRun();
    expect((await house.state()).operation).toMatchObject({
      held: true,
      failure: { code: 'FIRST_BOOT_SILENT' },
    });
    delete house.driver.script['inspect'];
    await house.send('resume');
    expect((await house.result('long')).outcome).toBe('pass');
    await until(async () => (await house.state()).phase === 'manageable');
  });

  it('an operation that is terminated is noticed by the next run', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    house.driver.script['inspect'] = async () => void (await gate) as undefined;
    await house.send('inspect', { requestId: 'cut' });
    await until(async () => (await house.state()).phase === 'inspecting');
    await nextRun();
    await house.operation('cut').terminate('by a test');
    await until(async () => (await house.state()).phase === 'inspect-failed');
    release();
    delete house.driver.script['inspect'];
  });

  it('updates and refused signals in flight are all answered', async () => {
    await until(async () => (await house.state()).operation === null);
    expect((await house.run('inspect')).outcome).toBe('pass');
    const runs = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const sent = Array.from({ length: 12 }, (_, i) =>
        i % 3 === 0
          ? house.send('power', { requestId: `u${round}-${i}`, state: 'on' })
          : house.entity().signal('reimage', { requestId: `s${round}-${i}`, image: 'a' }),
      );
      const answers = await Promise.allSettled(sent);
      // One power at a time; the others are told so.
      const lost = answers.filter(
        (a) => a.status === 'rejected' && !/BUSY/.test(JSON.stringify(a.reason.cause)),
      );
      expect(lost).toEqual([]);
      for (let i = 0; i < 12; i++) {
        if (i % 3 !== 0) expect((await house.result(`s${round}-${i}`)).outcome).toBe('fail');
      }
      await until(async () => (await house.state()).operation === null);
      runs.add(await run());
    }
    expect(runs.size).toBeGreaterThan(2);
  });

  it('a burst that comes in one workflow task is heard to its end before the next run begins', async () => {
    await house.stopWorkers('workflows');
    const before = await run();
    const sent = Array.from({ length: 250 }, (_, i) => i);
    for (const i of sent) await house.entity().signal('reimage', { requestId: `b${i}`, image: 'a' });
    await house.startWorkflows();
    for (const i of sent) expect((await house.result(`b${i}`)).failure?.code).toBe('ILLEGAL_VERB');
    await until(async () => (await run()) !== before);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Context } from '@temporalio/activity';
import { fail } from '../../core/errors/failure.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, NODE, refusalOf, SITE, until } from './support.ts';

let house: House;
let broken = true;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.answerCallbacks();
  house.driver.script['inspect'] = async () => ({ summary: 'it is on', data: { power: 'on' } });
  await house.makeAvailable();
  expect((await house.state()).power).toBe('on');
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

afterEach(() => {
  house.inventory = INVENTORY;
  for (const fact of Object.keys(house.driver.world)) delete house.driver.world[fact];
});

const SAFE = { 'agent-alive': false, 'agent-booted': false, 'media-inserted': false, 'override-set': false };

const BREAKABLE = ['write-image', 'verify-image', 'preflight'];

/** Makes a step fail for as long as `broken`. */
function breakStep(step: string): void {
  for (const earlier of BREAKABLE) delete house.driver.script[earlier];
  broken = true;
  house.driver.script[step] = async () => {
    if (broken) throw fail('FIRST_BOOT_SILENT', `${step} is scripted to fail`);
    return undefined;
  };
}

/** Deploys until the node is held at a step. */
async function holdAt(step: string, requestId: string): Promise<void> {
  breakStep(step);
  const verb = (await house.state()).phase === 'active' ? 'reimage' : 'deploy';
  await house.send(verb, { image: 'a', requestId });
  await until(async () => (await house.state()).operation?.held === true);
}

const idle = () => until(async () => (await house.state()).operation === null);

it('the next attempt of a step knows what the one before failed with, and no secret of it', async () => {
  house.site.secrets.add('hunter2-secret');
  const seen: unknown[] = [];
  house.driver.script['preflight'] = async () => {
    seen.push(Context.current().info.heartbeatDetails);
    if (seen.length === 1) throw fail('BMC_UNREACHABLE', 'n1, as admin:hunter2-secret: no connection.');
    throw fail('FIRST_BOOT_SILENT', 'it is over', { retryable: false });
  };
  await house.send('deploy', { image: 'a', requestId: 'h0' });
  await until(async () => (await house.state()).operation?.held === true);
  expect(seen).toEqual([undefined, expect.objectContaining({ code: 'BMC_UNREACHABLE' })]);
  expect(JSON.stringify(seen)).not.toContain('hunter2');
  await house.send('abort', { reason: 'a test' });
  await idle();
});

describe('a held operation', () => {
  it('has kept the failing state, is safe, and shows what to do; an unknown step is refused', async () => {
    await holdAt('write-image', 'h1');
    const report = await house.progress('h1');
    expect(report).toMatchObject({
      held: true,
      phase: 'deploy-failed',
      residue: [],
      failure: { code: 'FIRST_BOOT_SILENT', faultDomain: 'first-boot' },
    });
    const step = report.steps.find(({ id }) => id === 'write-image')!;
    expect(step.evidence?.map(({ name }) => name)).toEqual(['failing-state']);
    expect(house.driver.settled.at(-1)).toEqual(['media', 'override', 'power']);
    // What was known of its power before is over.
    expect((await house.state()).power).toBe('unknown');
    expect((await house.entity().describe()).memo).toMatchObject({ power: 'unknown' });
    expect((await house.state()).legal).toEqual([
      'maintenance',
      'quarantine',
      'unquarantine',
      'resume',
      'abort',
    ]);
    expect(await refusalOf(house.send('inspect'))).toBe('BUSY');

    const resume = (from: string) => house.operation('h1').executeUpdate('resume', { args: [{ from }] });
    expect(await refusalOf(resume('no-such-step'))).toBe('UNKNOWN_STEP');
    expect(await refusalOf(house.send('resume', { from: 'no-such-step' }))).toBe('UNKNOWN_STEP');
    // A signal has no answer, and a step of another driver is not known to the node: the operation notes it.
    await house.entity().signal('resume', { from: 'no-such-step' });
    await until(async () => (await house.progress('h1')).notes.at(-1)?.includes('no-such-step') === true);
    await house.send('resume', { from: 'deploy' });
    await until(async () => (await house.progress('h1')).notes.at(-1)?.includes('no step deploy;') === true);
    expect((await house.progress('h1')).held).toBe(true);
  });

  it('goes on from the operation too, from an earlier step, with facts asked anew and a new epoch', async () => {
    broken = false;
    Object.assign(house.driver.world, SAFE);
    const before = (await house.operation('h1').query<{ window: { epoch: number } }>('access')).window.epoch;
    house.driver.calls.length = 0;
    let stale = '';
    house.driver.script['set-boot'] = async ({ ref, window }) => {
      expect(window.epoch).toBe(before + 1);
      stale = await refusalOf(house.heartbeat(ref.requestId, before));
      return undefined;
    };
    await house.operation('h1').executeUpdate('resume', { args: [{ from: 'preflight' }] });
    expect((await house.result('h1')).outcome).toBe('pass');
    delete house.driver.script['set-boot'];
    expect(stale).toBe('TOKEN_EXPIRED');
    expect(house.driver.calls[0]).toBe('preflight');
    await idle();
  });

  it('is left as it stands where the contract says so, and goes on at the failed step', async () => {
    house.inventory = { ...INVENTORY, onHold: 'leave' };
    const settled = house.driver.settled.length;
    await holdAt('verify-image', 'h2');
    expect(house.driver.settled.length).toBe(settled);
    expect((await house.progress('h2')).residue).toEqual(['media', 'override', 'power']);
    const { window } = await house.operation('h2').query<{ window: { epoch: number } }>('access');
    house.driver.script['verify-image'] = async (_input, context) => {
      await context.evidence('failing-state', { asked: 'again', of: NODE, answer: 'after the hold' });
      return undefined;
    };
    house.driver.calls.length = 0;
    await house.send('resume');
    expect((await house.result('h2')).outcome).toBe('pass');
    // What was kept before the hold is not replaced by what was kept after it.
    const kept = await house.evidence.list(SITE, NODE, 'h2');
    expect(kept.filter(({ step }) => step === 'verify-image').map(({ altered }) => altered)).toEqual([
      false,
      false,
    ]);
    expect(house.driver.calls[0]).toBe('verify-image');
    expect(window.epoch).toBe(1);
    await idle();
  });

  it('ends as aborted, and is safe', async () => {
    await holdAt('preflight', 'h3');
    await house.send('abort', { reason: 'wrong image' });
    expect(await house.result('h3')).toMatchObject({
      outcome: 'aborted',
      phase: 'deploy-failed',
      failure: { code: 'ABORTED', message: expect.stringContaining('wrong image') },
    });
    await idle();
    delete house.driver.script['preflight'];
    expect((await house.run('reimage', { image: 'a' })).outcome).toBe('pass');
  });

  it('is made safe once more where it ends: anyone may have switched it on meanwhile', async () => {
    await holdAt('write-image', 'h3-again');
    const before = house.driver.settled.length;
    await house.send('abort', { reason: 'enough' });
    expect(await house.result('h3-again')).toMatchObject({ outcome: 'aborted', residue: [] });
    expect(house.driver.settled.slice(before)).toEqual([['media', 'override', 'power']]);
    await idle();
    delete house.driver.script['write-image'];
    expect((await house.run('deploy', { image: 'a' })).outcome).toBe('pass');
  });

  it('is aborted at once, also while what still holds cannot be asked', async () => {
    await holdAt('write-image', 'h3-facts');
    const { 'agent-alive': asked } = house.driver.facts;
    let asks = 0;
    house.driver.facts['agent-alive'] = async () => {
      asks += 1;
      throw fail('BMC_UNREACHABLE', 'nothing answers');
    };
    await house.send('resume');
    await until(async () => asks > 0);
    await house.send('abort', { reason: 'it is gone' });
    expect(await house.result('h3-facts')).toMatchObject({ outcome: 'aborted', residue: [] });
    house.driver.facts['agent-alive'] = asked!;
    await idle();
    delete house.driver.script['write-image'];
    expect((await house.run('deploy', { image: 'a' })).outcome).toBe('pass');
  });

  it('is not held, and fails at once, where the request says so', async () => {
    breakStep('preflight');
    expect((await house.run('reimage', { image: 'b', onFailure: 'fail' })).outcome).toBe('fail');
    delete house.driver.script['preflight'];
    expect((await house.run('reimage', { image: 'a' })).outcome).toBe('pass');
  });
});

describe('an agent that does not call', () => {
  /** Boots of the agent, of which the first ones stay silent. */
  function silentBoots(silent: number): { boots: () => number } {
    house.inventory = { ...INVENTORY, timeouts: { agent: 1 } };
    house.driver.calls.length = 0;
    const boots = () => house.driver.calls.filter((step) => step === 'boot-agent').length;
    house.driver.script['boot-agent'] = async ({ ref, window }) => {
      if (boots() >= silent) await house.heartbeat(ref.requestId, window.epoch);
      return undefined;
    };
    return { boots };
  }

  it('is booted once more, unasked, from new media: a boot may have been cut off', async () => {
    const { boots } = silentBoots(1);
    const report = await house.run('reimage', { image: 'a', requestId: 'once' });
    expect(report).toMatchObject({ outcome: 'pass', residue: [] });
    expect(boots()).toBe(2);
    expect(house.driver.calls.filter((step) => step === 'insert-media')).toHaveLength(2);
    expect(report.notes.join()).toContain('tried again by itself');
    expect(report.evidence.map(({ name }) => name)).toContain('failing-state');
    await idle();
  });

  it('is booted twice at most; whoever resumes gets both boots again', async () => {
    const { boots } = silentBoots(3);
    await house.send('reimage', { image: 'a', requestId: 'twice' });
    await until(async () => (await house.state()).operation?.held === true);
    expect(boots()).toBe(2);
    expect((await house.progress('twice')).failure).toMatchObject({ code: 'AGENT_SILENT' });
    await house.send('resume');
    expect((await house.result('twice')).outcome).toBe('pass');
    expect(boots()).toBe(4);
    house.answerCallbacks();
    await idle();
  });
});

describe('an operation whose step is under way', () => {
  /** Makes `erase`-like work that sees its cancellation and takes a moment to stop. */
  function longStep(): { began: () => boolean; order: string[] } {
    let began = false;
    const order: string[] = [];
    house.driver.script['write-image'] = (_input, { signal }) => {
      began = true;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          order.push('told to stop');
          setTimeout(() => {
            order.push('stopped');
            reject(signal.reason as Error);
          }, 300);
        });
      });
    };
    house.driver.onSettle = () => void order.push('made safe');
    return { began: () => began, order };
  }

  it('stops on abort: the step is told, and what it left is removed after it has stopped', async () => {
    const { began, order } = longStep();
    const { operationId } = await house.send('reimage', { image: 'b' });
    await until(began);
    await house.send('abort', { reason: 'not this one' });
    const report = await house.result(operationId);
    expect(report).toMatchObject({ outcome: 'aborted', phase: 'deploy-failed', residue: [] });
    expect(report.steps.find(({ id }) => id === 'write-image')?.state).toBe('skipped');
    expect(order).toEqual(['told to stop', 'stopped', 'made safe']);
    await idle();
    expect((await house.state()).power).toBe('off');
  });

  it('stops on a cancellation from the UI, which is an abort', async () => {
    const { began, order } = longStep();
    const { operationId } = await house.send('reimage', { image: 'b' });
    await until(began);
    await house.operation(operationId).cancel();
    const report = await house.result(operationId);
    expect(report.outcome).toBe('aborted');
    expect(report.failure?.message).toContain('the workflow was cancelled');
    expect(order).toEqual(['told to stop', 'stopped', 'made safe']);
    await idle();
  });

  it('stops at its deadline, names the step, keeps its state, and is made safe', async () => {
    const { began, order } = longStep();
    const { operationId } = await house.send('reimage', { image: 'b', deadline: '12s', onFailure: 'hold' });
    await until(began);
    const report = await house.result(operationId);
    expect(report).toMatchObject({
      outcome: 'fail',
      phase: 'deploy-failed',
      residue: [],
      failure: { code: 'DEADLINE_EXCEEDED', message: expect.stringContaining('write-image') },
    });
    expect(report.steps.find(({ id }) => id === 'write-image')).toMatchObject({
      state: 'failed',
      evidence: [{ name: 'failing-state' }],
    });
    expect(order).toEqual(['told to stop', 'stopped', 'made safe']);
    delete house.driver.script['write-image'];
    await idle();
  });
});

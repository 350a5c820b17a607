import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail } from '../../core/errors/failure.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, until } from './support.ts';

let house: House;

beforeAll(async () => {
  const environment = await createLocalEnvironment();
  house = await House.build(environment);
  house.answerCallbacks();
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

describe('an operation', () => {
  it('runs the plan and moves the node through its life', async () => {
    await house.open();
    const enroll = await house.run('enroll', { requestId: 'enroll-1' });
    expect(enroll).toMatchObject({ outcome: 'pass', phase: 'manageable', held: false });
    expect(enroll.steps.map((s) => [s.id, s.state])).toEqual([
      ['connect', 'done'],
      ['inspect', 'done'],
      ['compare', 'done'],
    ]);
    expect((await house.run('clean')).phase).toBe('available');
    expect((await house.run('deploy', { image: 'a', owner: 'team-a' })).outcome).toBe('pass');
    expect(await house.state()).toMatchObject({
      phase: 'active',
      owner: 'team-a',
      image: 'a',
      operation: null,
    });
    expect((await house.run('reimage', { image: 'b' })).outcome).toBe('pass');
    expect(await house.state()).toMatchObject({ phase: 'active', owner: 'team-a', image: 'b' });
    expect((await house.run('release')).outcome).toBe('pass');
    expect(await house.state()).toMatchObject({
      phase: 'available',
      owner: null,
      resident: { kind: 'none' },
    });
    expect((await house.run('decommission')).phase).toBe('decommissioned');
    await until(async () => (await house.records.read('test', 'n1'))?.phase === 'decommissioned');
  });

  it('fails into the failed twin, with fault domain and correction, and is made safe', async () => {
    await house.makeAvailable('n2');
    house.driver.script['write-image'] = async () => {
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    const report = await house.run('deploy', { image: 'a', onFailure: 'fail' }, 'n2');
    delete house.driver.script['write-image'];
    expect(report).toMatchObject({
      outcome: 'fail',
      phase: 'deploy-failed',
      residue: [],
      failure: { code: 'FIRST_BOOT_SILENT', faultDomain: 'first-boot' },
    });
    expect(report.failure!.correction).not.toBe('');
    expect(report.steps.find((s) => s.id === 'write-image')).toMatchObject({ state: 'failed' });
    expect(report.steps.find((s) => s.id === 'write-image')!.evidence).toHaveLength(1);
    expect(house.driver.settled.at(-1)).toEqual(['media', 'override', 'power']);
    expect(await house.state('n2')).toMatchObject({ phase: 'deploy-failed', residue: [] });
  });

  it('holds, says why, and goes on from the facts that still hold', async () => {
    await house.makeAvailable('n3');
    let broken = true;
    house.driver.script['sync'] = async () => {
      if (broken) throw fail('FIRST_BOOT_SILENT', 'scripted');
      return undefined;
    };
    await house.send('deploy', { image: 'a', requestId: 'held-1' }, 'n3');
    await until(async () => (await house.state('n3')).operation?.held === true);
    expect(await house.state('n3')).toMatchObject({
      phase: 'deploy-failed',
      operation: { requestId: 'held-1', failure: { code: 'FIRST_BOOT_SILENT' } },
    });
    expect(await house.progress('held-1', 'n3')).toMatchObject({
      held: true,
      phase: 'deploy-failed',
      residue: [],
    });

    broken = false;
    Object.assign(house.driver.world, {
      'agent-alive': false,
      'agent-booted': false,
      'media-inserted': false,
      'override-set': false,
    });
    house.driver.calls.length = 0;
    await house.send('resume', {}, 'n3');
    const report = await house.result('held-1', 'n3');
    expect(report.outcome).toBe('pass');
    // The disk was written and verified: the agent is booted again, and nothing is written twice.
    expect(house.driver.calls).toEqual([
      'insert-media',
      'set-boot',
      'boot-agent',
      'await-agent',
      'sync',
      'power-off',
      'eject-media',
      'clear-boot',
      'boot-disk',
      'await-first-boot',
      'hand-over',
    ]);
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { fail } from '../../core/errors/failure.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House } from './support.ts';

let house: House;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.answerCallbacks();
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

it('a node that was deployed for nobody says so, and goes its way like any other', async () => {
  await house.makeAvailable();
  const shown = async (): Promise<string> => {
    const metadata = { currentDetails: '' };
    Object.assign(metadata, await house.entity().query('__temporal_workflow_metadata'));
    return metadata.currentDetails;
  };
  for (const [verb, args] of [
    ['deploy', { image: 'a' }],
    ['reimage', { image: 'b' }],
    ['inspect', {}],
    ['power', { state: 'reboot' }],
  ] as const) {
    expect([verb, (await house.run(verb, args)).outcome]).toEqual([verb, 'pass']);
    expect(await house.state()).toMatchObject({ phase: 'active', owner: null });
    expect(await shown()).toContain('**no owner** · image **');
  }
  house.driver.script['erase'] = async () => {
    throw fail('ERASE_FAILED', 'scripted');
  };
  expect((await house.run('release', {})).phase).toBe('clean-failed');
  delete house.driver.script['erase'];
  expect((await house.run('clean', {})).phase).toBe('available');
  expect((await house.run('deploy', { image: 'a' })).outcome).toBe('pass');
  expect((await house.run('release', {})).phase).toBe('available');
  // The next one gets it as from any other owner.
  expect((await house.run('deploy', { image: 'a', owner: 'team-b' })).outcome).toBe('pass');
  expect(await shown()).toContain('Owner **team-b**');
});

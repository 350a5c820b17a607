import { describe, expect, test } from 'vitest';
import { GOALS, nextMove, type Asked, type Goal, type Move } from '../../../core/ironic/goals.ts';
import { stateKind, type ProvisionTarget } from '../../../core/ironic/states.ts';

const moved = (target: ProvisionTarget): Asked => ({ target, moved: true });
const unsent = (target: ProvisionTarget): Asked => ({ target, moved: false });
const ask = (target: ProvisionTarget): Move => ({ do: 'ask', target });
const reached: Move = { do: 'reached' };
const failed: Move = { do: 'failed' };
const refuse: Move = { do: 'refuse' };
const wait = (on: 'ironic' | 'agent' | 'hold'): Move => ({ do: 'wait', on });

type Row = [goal: keyof typeof GOALS, state: string, asked: Asked | undefined, move: Move];

const TABLE: Row[] = [
  ['manageable', 'enroll', undefined, ask('manage')],
  ['manageable', 'enroll', unsent('manage'), ask('manage')],
  ['manageable', 'enroll', moved('manage'), failed],
  ['manageable', 'verifying', moved('manage'), wait('ironic')],
  ['manageable', 'manageable', undefined, reached],
  ['manageable', 'clean failed', undefined, ask('manage')],
  ['manageable', 'active', undefined, refuse],
  ['inspected', 'manageable', undefined, ask('inspect')],
  ['inspected', 'manageable', moved('inspect'), reached],
  ['inspected', 'inspect wait', moved('inspect'), wait('agent')],
  ['inspected', 'inspect failed', moved('inspect'), failed],
  ['inspected', 'inspect failed', undefined, ask('inspect')],
  ['cleaned', 'manageable', undefined, ask('clean')],
  ['cleaned', 'manageable', unsent('clean'), ask('clean')],
  ['cleaned', 'manageable', moved('clean'), reached],
  // Recovered from somebody's failed cleaning: nothing was cleaned yet.
  ['cleaned', 'clean failed', undefined, ask('manage')],
  ['cleaned', 'manageable', moved('manage'), ask('clean')],
  ['cleaned', 'clean failed', moved('clean'), failed],
  ['cleaned', 'clean hold', moved('clean'), wait('hold')],
  ['cleaned', 'available', moved('clean'), refuse],
  ['available', 'clean failed', moved('provide'), failed],
  ['available', 'clean failed', undefined, ask('manage')],
  ['available', 'enroll', undefined, refuse],
  ['deployed', 'available', undefined, ask('active')],
  ['deployed', 'available', unsent('active'), ask('active')],
  ['deployed', 'available', moved('active'), refuse],
  ['deployed', 'deploying', moved('active'), wait('ironic')],
  ['deployed', 'wait call-back', moved('active'), wait('agent')],
  ['deployed', 'deploy failed', moved('active'), failed],
  ['deployed', 'deploy failed', undefined, ask('active')],
  ['deployed', 'active', moved('active'), reached],
  ['deployed', 'active', undefined, refuse],
  ['deployed', 'manageable', undefined, refuse],
  ['rebuilt', 'active', undefined, ask('rebuild')],
  ['rebuilt', 'active', moved('rebuild'), reached],
  ['rebuilt', 'available', undefined, refuse],
  ['undeployed', 'wait call-back', undefined, ask('deleted')],
  ['undeployed', 'deploying', undefined, wait('ironic')],
  ['undeployed', 'clean failed', moved('deleted'), failed],
  ['undeployed', 'clean failed', undefined, reached],
  ['undeployed', 'error', moved('deleted'), failed],
  ['undeployed', 'available', moved('deleted'), reached],
];

test.each(TABLE)('%s from %s (%o) is %o', (goal, state, asked, move) => {
  expect(nextMove(GOALS[goal], state, asked)).toEqual(move);
});

describe('for every goal', () => {
  const goals = Object.entries(GOALS) as [string, Goal][];

  test.each(goals)('%s asks nothing while Ironic works', (_, goal) => {
    for (const state of [
      'verifying',
      'cleaning',
      'deploying',
      'deleting',
      'inspecting',
      'a state of tomorrow',
    ]) {
      expect(nextMove(goal, state, undefined)).toEqual(wait('ironic'));
    }
  });

  test.each(goals)('%s is never reached in a failed state of our making', (_, goal) => {
    for (const state of ['clean failed', 'deploy failed', 'inspect failed', 'error']) {
      expect(nextMove(goal, state, moved('clean'))).toEqual(failed);
    }
  });
});

test('a state that is not known counts as work', () => {
  expect(stateKind('brewing')).toBe('working');
  expect(stateKind('active')).toBe('stable');
  expect(stateKind('wait call-back')).toBe('waiting');
  expect(stateKind('error')).toBe('failed');
  expect(stateKind('clean hold')).toBe('held');
});

import { describe, expect, it } from 'vitest';
import { judgeWatch, type Reporter } from '../../../core/openstack/watched.ts';

type State = Partial<Reporter> | undefined;
/** Looks ten seconds apart, at one reporter. */
const looks = (...states: State[]) =>
  states.map((state, at) => ({
    after: at * 10,
    reporters:
      state === undefined
        ? []
        : [{ name: 'nova-compute', host: 'k1', up: true, reportedAt: `t${at}`, ...state }],
  }));

describe('one who is watched', () => {
  it.each<[string, State[], string[]]>([
    ['reports each time', [{}, {}, {}], []],
    ['reports every other time', [{ reportedAt: 'a' }, { reportedAt: 'a' }, { reportedAt: 'b' }], []],
    [
      'is down the whole time',
      [
        { up: false, reportedAt: 'a' },
        { up: false, reportedAt: 'a' },
      ],
      [],
    ],
    [
      'is called up and reports no more',
      [{ reportedAt: 'a' }, { reportedAt: 'a' }, { reportedAt: 'a' }],
      [
        'nova-compute on k1 is called up, and has not reported for the 20 s that it was watched: last at a UTC.',
      ],
    ],
    [
      'goes down and comes up again',
      [{}, { up: false }, {}],
      ['nova-compute on k1 is not stable: down after 10 s, up after 20 s.'],
    ],
    ['goes down', [{}, {}, { up: false }], ['nova-compute on k1 is not stable: down after 20 s.']],
    ['comes up', [{ up: false }, {}], ['nova-compute on k1 is not stable: up after 10 s.']],
    ['goes away', [{}, undefined], ['nova-compute on k1 is not stable: gone after 10 s.']],
    ['appears', [undefined, {}], ['nova-compute on k1 is not stable: up after 10 s.']],
    [
      'is started anew',
      [{ startedAt: 'x' }, { startedAt: 'y' }, { startedAt: 'z' }],
      ['nova-compute on k1 was started anew 2 times within 20 s.'],
    ],
    ['goes on', [{ startedAt: 'x' }, { startedAt: 'x' }], []],
  ])('that %s', (_what, states, messages) => {
    expect(judgeWatch(looks(...states)).map(({ message }) => message)).toEqual(messages);
  });
});

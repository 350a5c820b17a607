import { describe, expect, it } from 'vitest';
import { windowState, type Window } from '../../core/windows.ts';

const NIGHT: Window = { days: ['tue', 'thu'], from: '22:00', to: '04:00' };
const NOON: Window = { days: ['sat'], from: '12:00', to: '13:30' };
const state = (windows: readonly Window[], zone: string, at: string): boolean | string | null => {
  const found = windowState(windows, zone, new Date(at));
  return found.open ? true : found.next;
};

describe('a window of the week', () => {
  // 2026-03-03 is a Tuesday.
  it.each<[string, readonly Window[], string, string, boolean | string | null]>([
    ['none: at any time', [], 'UTC', '2026-03-03T10:00Z', true],
    ['before it opens', [NIGHT], 'UTC', '2026-03-03T21:59Z', 'tue 2026-03-03 22:00 UTC'],
    ['as it opens', [NIGHT], 'UTC', '2026-03-03T22:00Z', true],
    ['over midnight', [NIGHT], 'UTC', '2026-03-04T03:59Z', true],
    ['as it closes', [NIGHT], 'UTC', '2026-03-04T04:00Z', 'thu 2026-03-05 22:00 UTC'],
    ['the night after a day that is none', [NIGHT], 'UTC', '2026-03-03T01:00Z', 'tue 2026-03-03 22:00 UTC'],
    ['in the time zone of the site', [NIGHT], 'Europe/Berlin', '2026-03-03T21:00Z', true],
    [
      'on its calendar',
      [NIGHT],
      'America/Los_Angeles',
      '2026-03-04T05:59Z',
      'tue 2026-03-03 22:00 America/Los_Angeles',
    ],
    ['the earliest of several', [NIGHT, NOON], 'UTC', '2026-03-06T10:00Z', 'sat 2026-03-07 12:00 UTC'],
    ['within a day', [NOON], 'UTC', '2026-03-07T13:29Z', true],
    ['a week ahead', [NOON], 'UTC', '2026-03-07T13:30Z', 'sat 2026-03-14 12:00 UTC'],
    ['a whole day', [{ days: ['sun'], from: '00:00', to: '00:00' }], 'UTC', '2026-03-08T23:59Z', true],
    [
      'over a change of clocks',
      [NIGHT],
      'Europe/Berlin',
      '2026-03-29T00:30Z',
      'tue 2026-03-31 22:00 Europe/Berlin',
    ],
  ])('%s', (_what, windows, zone, at, expected) => {
    expect(state(windows, zone, at)).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../../core/acceptance/reports/timeline.ts';
import type { AcceptanceReport, CheckReport, GateReport } from '../../../../core/acceptance/report.ts';
import { green, PASSING } from './samples.ts';

const NOW = '2026-11-30T04:00:00.000Z';
const time = (clock: string): string => `2026-11-30T${clock}.000Z`;

const check = (id: string, from: string, to?: string): CheckReport => ({
  id,
  title: id,
  from: 'worker',
  state: to === undefined ? 'running' : 'done',
  startedAt: time(from),
  ...(to === undefined ? {} : { outcome: 'pass', endedAt: time(to) }),
});
const run = (...checks: CheckReport[]): AcceptanceReport => ({ ...PASSING, gates: [green(1, { checks })] });
const bars = (report: AcceptanceReport) =>
  timelineOf(report, NOW).bars.map(({ check: { id }, left, width }) => [id, left, width]);

describe('the time line', () => {
  it('places checks that run side by side', () => {
    const report = run(check('a', '03:00:00', '03:00:10'), check('b', '03:00:05', '03:00:20'));
    expect(bars(report)).toEqual([
      ['a', 0, 50],
      ['b', 25, 75],
    ]);
    expect(timelineOf(report, NOW)).toMatchObject({
      gaps: [],
      ticks: [
        { left: 0, at: time('03:00:00') },
        { left: 100, at: time('03:00:20') },
      ],
    });
  });

  it('leaves a short time in which nothing ran as it was', () => {
    const report = run(check('a', '03:00:00', '03:00:10'), check('b', '03:00:30', '03:00:40'));
    expect(bars(report)).toEqual([
      ['a', 0, 25],
      ['b', 75, 25],
    ]);
    expect(timelineOf(report, NOW).gaps).toEqual([]);
  });

  it('shortens a long one, and says how long it was', () => {
    const report = run(check('a', '03:00:00', '03:00:50'), check('b', '05:00:00', '05:00:50'));
    expect(bars(report)).toEqual([
      ['a', 0, 47.17],
      ['b', 52.83, 47.17],
    ]);
    expect(timelineOf(report, NOW).gaps).toEqual([{ left: 47.17, width: 5.66, seconds: 7150 }]);
  });

  it('draws what still runs up to now', () => {
    expect(timelineOf(run(check('a', '03:59:50')), NOW).bars).toMatchObject([
      { seconds: 10, left: 0, width: 100 },
    ]);
  });

  it('has nothing of evidence of another run, of what did not run, and of no time at all', () => {
    const other = { ...green(1), kept: { runId: 'run-0', endedAt: NOW } };
    const none: GateReport = green(2, {
      checks: [{ id: 'x', title: 'x', from: 'worker', state: 'held-back' }],
    });
    expect(timelineOf({ ...PASSING, gates: [other, none] }, NOW)).toEqual({ bars: [], gaps: [], ticks: [] });
    expect(bars(run(check('a', '03:00:00', '03:00:00')))).toEqual([['a', 0, 0]]);
    expect(bars(run({ ...check('a', '03:00:00', '03:00:01'), startedAt: 'soon' }))).toEqual([]);
  });
});

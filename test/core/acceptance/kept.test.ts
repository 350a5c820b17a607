import { expect, it } from 'vitest';
import { whyNotKept } from '../../../core/acceptance/kept.ts';
import type { GateReport, PlannedCheck, PlannedGate } from '../../../core/acceptance/report.ts';
import { green, heldBack, LEFT_OUT, skipped } from './reports/samples.ts';

const check = (id: string, over: Partial<PlannedCheck> = {}): PlannedCheck => ({
  id,
  title: id,
  from: 'worker',
  requirements: [],
  bounds: { attempt: 1, total: 1 },
  needs: [],
  stage: 'check',
  ...over,
});
const plan = (gate: 1 | 7, ...more: PlannedCheck[]): PlannedGate => ({
  gate,
  checks: [...[0, 1, 2].map((n) => check(`check-${gate}-${n}`)), ...more],
});

it.each<[string, PlannedGate, GateReport | undefined, string | undefined]>([
  ['whose checks all passed', plan(1), green(1), undefined],
  ['with a check more than now', { gate: 1, checks: [check('check-1-0')] }, green(1), undefined],
  [
    'that has nothing to look at, then and now',
    { gate: 1, checks: [check('x', { skipped: 'none' })] },
    green(1),
    undefined,
  ],
  ['that was not run', plan(1), undefined, 'its gate 1 is not green'],
  ['that did not come to its turn', plan(1), heldBack(1), 'its gate 1 is not green'],
  ['that is red', plan(1), green(1, { outcome: 'fail' }), 'its gate 1 is not green'],
  [
    'that a later version has a check more for',
    plan(1, check('new')),
    green(1),
    'check new of gate 1 was not made then',
  ],
  [
    'with a check that was skipped then, and would be made now',
    plan(1, check('ceph')),
    green(1, { checks: [...green(1).checks, skipped('ceph', 'Ceph')] }),
    'check ceph of gate 1 was not made then',
  ],
  [
    'with a check that found nothing to look at when it was made',
    plan(1, check('left')),
    green(1, {
      checks: [...green(1).checks, { ...skipped('left', 'Left'), startedAt: '2026-03-01T10:00:00Z' }],
    }),
    undefined,
  ],
  ['that was left out', plan(7), LEFT_OUT.gates[6], 'check check-7-0 of gate 7 was not made then'],
])('a gate %s', (_what, now, then, why) => {
  expect(whyNotKept(now, then)).toBe(why);
});

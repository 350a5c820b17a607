import { describe, expect, it } from 'vitest';
import type { GateNumber } from '../../core/acceptance/gates.ts';
import type { CheckOutcome } from '../../core/acceptance/report.ts';
import {
  judge,
  newStanding,
  redGates,
  unmet,
  withGate,
  withoutRun,
  withRun,
  withTold,
  withVerdict,
  type GateStanding,
  type Judgement,
  type RunEnd,
  type SiteStanding,
} from '../../core/acceptance/standing.ts';

const T = (minute: number): string => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;

const ended = (
  gate: GateNumber,
  outcome: CheckOutcome,
  minute: number,
  runId = 'r1',
): Omit<GateStanding, 'since'> => ({
  gate,
  outcome,
  runId,
  endedAt: T(minute),
  contractHash: 'c',
  fingerprint: 'f',
  ...(outcome === 'fail' || outcome === 'error'
    ? { failure: { code: 'CHECK_FAILED', faultDomain: 'kubernetes', message: 'no' } }
    : {}),
});

const after = (...gates: Omit<GateStanding, 'since'>[]): SiteStanding =>
  gates.reduce(withGate, newStanding('s'));
const EMPTY = { code: 'CHECK_NO_RESULT', faultDomain: 'contract' } as const;
const end = (over: Partial<RunEnd> = {}): RunEnd => ({ runId: 'r9', at: T(59), outcome: 'pass', ...over });

describe('the standing of a gate', () => {
  it('is that of its last run, and keeps since when it is green or not', () => {
    const green = after(ended(1, 'pass', 1), ended(1, 'skipped', 2), ended(1, 'pass', 3));
    expect(green.gates).toMatchObject([{ outcome: 'pass', endedAt: T(3), since: T(1) }]);
    const red = [ended(1, 'fail', 4), ended(1, 'error', 5)].reduce(withGate, green);
    expect(red.gates).toMatchObject([{ outcome: 'error', endedAt: T(5), since: T(4) }]);
    expect(withGate(red, ended(1, 'pass', 6)).gates).toMatchObject([{ outcome: 'pass', since: T(6) }]);
  });

  it('does not change by what is older, or told twice', () => {
    const now = after(ended(2, 'fail', 5));
    expect(withGate(now, ended(2, 'pass', 4))).toBe(now);
    expect(withGate(now, ended(2, 'fail', 5))).toBe(now);
  });

  it('lists the gates in order', () => {
    expect(after(ended(3, 'pass', 1), ended(1, 'pass', 2)).gates.map(({ gate }) => gate)).toEqual([1, 3]);
  });
});

describe('the site', () => {
  it('is taken by one run, and given back by that one only', () => {
    const taken = withRun(newStanding('s'), 'a', T(1));
    expect(taken.running).toEqual({ runId: 'a', since: T(1) });
    expect(withRun(taken, 'a', T(2))).toBe(taken);
    expect(withoutRun(taken, 'b')).toBe(taken);
    expect(withoutRun(taken, 'a').running).toBeNull();
  });
});

const PASS: Judgement = { outcome: 'pass', gate: null, faultDomain: null, code: null };
const AT_2: Judgement = { outcome: 'fail', gate: 2, faultDomain: 'kubernetes', code: 'CHECK_FAILED' };

describe('what is to be thought of a site', () => {
  it.each<[string, SiteStanding, number[] | undefined, RunEnd, Judgement | undefined]>([
    ['all gates are green', after(ended(1, 'pass', 1), ended(2, 'skipped', 2)), undefined, end(), PASS],
    [
      'the first red gate counts',
      after(ended(1, 'pass', 1), ended(2, 'fail', 2)),
      undefined,
      end({ outcome: 'fail', stoppedAt: 2 }),
      AT_2,
    ],
    [
      'a run of gate 1 alone does not make gate 2 green',
      after(ended(2, 'fail', 1), ended(1, 'pass', 2)),
      undefined,
      end(),
      AT_2,
    ],
    [
      'a gate that the contract wants no more does not count',
      after(ended(1, 'pass', 1), ended(2, 'fail', 2)),
      [1],
      end(),
      PASS,
    ],
    [
      'what could not be told is an error',
      after(ended(2, 'error', 2)),
      undefined,
      end({ outcome: 'error', stoppedAt: 2 }),
      { ...AT_2, outcome: 'error' },
    ],
    ['nothing was shown', after(ended(1, 'skipped', 1)), undefined, end(), undefined],
    [
      'a contract that is broken',
      after(ended(1, 'pass', 1)),
      undefined,
      end({ outcome: 'fail', failure: { code: 'CONTRACT_INVALID', faultDomain: 'contract' } }),
      { outcome: 'fail', gate: null, faultDomain: 'contract', code: 'CONTRACT_INVALID' },
    ],
    [
      'a request that could not be met says nothing',
      after(ended(1, 'pass', 1)),
      undefined,
      end({ outcome: 'fail', failure: { code: 'EVIDENCE_OUTDATED', faultDomain: 'orchestrator' } }),
      undefined,
    ],
    [
      'nor does a run that met another one',
      after(ended(1, 'pass', 1)),
      undefined,
      end({ outcome: 'fail', failure: { code: 'RUN_IN_PROGRESS', faultDomain: 'orchestrator' } }),
      undefined,
    ],
    [
      'but that run tells what it is held for',
      after(ended(1, 'pass', 1), ended(2, 'fail', 2)),
      undefined,
      end({ outcome: 'fail', failure: { code: 'RUN_IN_PROGRESS', faultDomain: 'orchestrator' } }),
      AT_2,
    ],
    [
      'a run of gates that have nothing to look at leaves the others as they are, green',
      after(ended(1, 'pass', 1), ended(2, 'skipped', 2)),
      undefined,
      end({ outcome: 'error', failure: EMPTY }),
      PASS,
    ],
    [
      'or red',
      after(ended(1, 'skipped', 1), ended(2, 'fail', 2)),
      undefined,
      end({ outcome: 'error', failure: EMPTY }),
      AT_2,
    ],
    [
      'but where there are no others, nothing was shown',
      after(ended(1, 'skipped', 1)),
      undefined,
      end({ outcome: 'error', failure: EMPTY }),
      { outcome: 'error', gate: null, ...EMPTY },
    ],
    [
      'nor one that was given up before anything was red',
      after(ended(1, 'pass', 1)),
      undefined,
      end({ outcome: 'aborted' }),
      undefined,
    ],
    [
      'one that was given up at a red gate does',
      after(ended(2, 'fail', 1)),
      undefined,
      end({ outcome: 'aborted', stoppedAt: 2 }),
      AT_2,
    ],
  ])('%s', (_what, standing, wanted, run, expected) => {
    expect(judge(standing, wanted, run)).toEqual(expected);
  });

  it('changes with outcome, gate or fault domain, and knows what it was', () => {
    const verdict = (standing: SiteStanding, now: Judgement, runId: string): SiteStanding =>
      withVerdict(standing, now, end({ runId }), true);
    const first = verdict(newStanding('s'), PASS, 'a');
    expect(first.verdict).toEqual({ ...PASS, runId: 'a', at: T(59), previous: null, told: false });
    expect(verdict(first, PASS, 'b')).toBe(first);
    const red = verdict(first, AT_2, 'c');
    expect(red.verdict).toEqual({
      ...AT_2,
      runId: 'c',
      at: T(59),
      previous: { ...PASS, runId: 'a', at: T(59) },
      told: false,
    });
    expect(verdict(red, { ...AT_2, code: 'CHECK_TIMEOUT' }, 'd')).toBe(red);
    expect(verdict(red, { ...AT_2, faultDomain: 'storage' }, 'd').verdict).toMatchObject({
      faultDomain: 'storage',
      previous: { runId: 'c', faultDomain: 'kubernetes' },
    });
    expect(verdict(red, PASS, 'c')).toBe(red);
  });

  it('is told once: of the run that brought it, and where there is somebody to tell', () => {
    const untold = withVerdict(newStanding('s'), PASS, end({ runId: 'a' }), true);
    expect(withTold(untold, 'b')).toBe(untold);
    const told = withTold(untold, 'a');
    expect(told.verdict?.told).toBe(true);
    expect(withTold(told, 'a')).toBe(told);
    expect(withVerdict(newStanding('s'), PASS, end(), false).verdict?.told).toBe(true);
  });
});

describe('gates that are required', () => {
  const now = Date.parse(T(30));
  const standing = after(
    ended(1, 'pass', 20),
    ended(2, 'skipped', 5),
    ended(3, 'fail', 29),
    ended(4, 'error', 29),
  );
  it.each<[number[], number | undefined, GateNumber[]]>([
    [[1], undefined, []],
    [[1], 600, []],
    [[1], 599, [1]],
    [[2, 1], 900, [2]],
    [[3, 4], undefined, [3, 4]],
    [[5, 5], undefined, [5]],
    [[9], undefined, []],
  ])('%j within %s s: not met by %j', (gates, maxAge, expected) => {
    expect(unmet(standing, { gates, maxAge }, now).map(({ gate }) => gate)).toEqual(expected);
  });

  it('of the control plane, the red ones are told', () => {
    const with7 = withGate(standing, ended(7, 'fail', 29));
    expect(redGates(with7).map(({ gate }) => gate)).toEqual([3, 4]);
  });
});

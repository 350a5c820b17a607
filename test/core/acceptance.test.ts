import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Board } from '../../core/acceptance/board.ts';
import { acceptanceDetails } from '../../core/acceptance/details.ts';
import { GATE_NUMBERS, GATES, gateOf, gatesAgain, type GateNumber } from '../../core/acceptance/gates.ts';
import { parseAbort, parseAcceptanceInput, parseResume } from '../../core/acceptance/messages.ts';
import type {
  CheckOutcome,
  CheckReport,
  CheckResult,
  OpenedAcceptance,
} from '../../core/acceptance/report.ts';
import { failureOfGate, gateOutcome, isGreen, runOutcome } from '../../core/acceptance/verdict.ts';
import { failure } from '../../core/errors/failure.ts';

const AT = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-01T11:00:00.000Z';
const PASS: CheckResult = { outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] };
const WRONG = failure('CHECK_FAILED', 'The clock is off.', {
  faultDomain: 'control-host',
  correction: 'Start chrony.',
});
const FAIL: CheckResult = { ...PASS, outcome: 'fail', findings: [{ target: 'c1', failure: WRONG }] };

describe('the gates', () => {
  it('are the seven, numbered, each with names of its own', () => {
    expect(GATES.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(GATES.map(({ id }) => id)).size).toBe(7);
    expect(gateOf(6).id).toBe('reachability');
  });

  it('depend on earlier ones only, and on whatever those depend on', () => {
    for (const { number, dependsOn } of GATES) {
      expect(dependsOn.every((each) => each < number)).toBe(true);
      expect(
        dependsOn.flatMap((each) => gateOf(each).dependsOn).every((each) => dependsOn.includes(each)),
      ).toBe(true);
    }
  });

  it.each<[GateNumber, GateNumber[]]>([
    [1, [1, 2, 3, 4, 5, 6, 7]],
    [2, [2, 3, 4, 5, 6, 7]],
    [3, [3, 4, 5, 6, 7]],
    [4, [4, 6, 7]],
    [5, [5, 7]],
    [6, [6, 7]],
    [7, [7]],
  ])('after a correction at gate %i these run again: %j', (from, again) => {
    expect(gatesAgain(from, GATE_NUMBERS)).toEqual(again);
  });
});

describe('what a gate comes to', () => {
  it.each<[(CheckOutcome | undefined)[], CheckOutcome]>([
    [['pass', 'pass'], 'pass'],
    [['pass', 'skipped'], 'pass'],
    [['skipped', 'skipped'], 'skipped'],
    [['pass', 'error'], 'error'],
    [['fail', 'error', 'pass'], 'fail'],
    [['pass', undefined], 'error'],
    [['skipped', undefined], 'error'],
    [[], 'skipped'],
  ])('%j: %s', (outcomes, expected) => {
    expect(gateOutcome(outcomes.map((outcome) => (outcome ? { outcome } : {})))).toBe(expected);
  });

  it('is never green on an error or a missing result', () => {
    const outcome = fc.constantFrom('pass', 'fail', 'error', 'skipped', undefined);
    fc.assert(
      fc.property(fc.array(outcome), (outcomes) => {
        const checks = outcomes.map((each) => (each ? { outcome: each as CheckOutcome } : {}));
        const bad = outcomes.some((each) => each !== 'pass' && each !== 'skipped');
        expect(isGreen(gateOutcome(checks))).toBe(!bad);
      }),
    );
  });

  it.each<[(CheckOutcome | undefined)[], string]>([
    [['pass', 'skipped'], 'pass'],
    [['skipped'], 'error'],
    [[], 'error'],
    [['pass', undefined], 'error'],
    [['pass', 'error'], 'error'],
    [['pass', 'fail', undefined], 'fail'],
  ])('and a run of gates %j: %s', (outcomes, expected) => {
    expect(runOutcome(outcomes.map((outcome) => (outcome ? { outcome } : {})))).toBe(expected);
  });

  it('has the failure whose cause is known before the one that could not be told', () => {
    const finding = (message: string) => [{ target: 'c1', failure: failure('CHECK_FAILED', message) }];
    const check = (outcome: CheckOutcome, message: string) =>
      ({ id: message, outcome, findings: finding(message) }) as unknown as CheckReport;
    expect(failureOfGate([check('error', 'a'), check('fail', 'b')])?.message).toBe('b');
    expect(failureOfGate([check('pass', 'a'), check('error', 'c')])?.message).toBe('c');
    expect(failureOfGate([check('pass', 'a')])).toBeUndefined();
  });
});

const plan = (...gates: GateNumber[]): Pick<OpenedAcceptance, 'gates'> => ({
  gates: gates.map((gate) => ({
    gate,
    checks: ['a', 'b'].map((id) => ({
      id: `${id}${gate}`,
      title: `Check ${id}${gate}`,
      from: 'worker',
      requirements: [],
      bounds: { attempt: 60, total: 180 },
      needs: [],
      stage: 'check' as const,
    })),
  })),
});

/** Runs a gate whose checks all end so. */
function play(board: Board, gate: GateNumber, result: CheckResult, at = AT): void {
  board.begin(gate, at);
  for (const { id } of board.checksOf(gate)) {
    board.checkBegins(gate, id, at);
    board.checkEnds(gate, id, result, at);
  }
  board.end(gate, at);
}

describe('the board of a run', () => {
  it('takes the gates in order and knows which are due', () => {
    const board = new Board('r1', plan(1, 2, 5));
    expect(board.due()).toEqual([1, 2, 5]);
    play(board, 1, PASS);
    expect(board.due()).toEqual([2, 5]);
    play(board, 2, FAIL);
    expect(board.gate(2)).toMatchObject({ outcome: 'fail', state: 'done', runs: 1 });
    expect(board.due()).toEqual([2, 5]);
  });

  it('makes an error of a check that left no result', () => {
    const board = new Board('r1', plan(1));
    board.begin(1, AT);
    board.checkEnds(1, 'a1', PASS, AT);
    expect(board.end(1, AT).outcome).toBe('error');
  });

  it('does not run what the contract has nothing for, and a gate of such checks is skipped', () => {
    const opened = plan(1);
    const gates = opened.gates.map((gate) => ({
      ...gate,
      checks: gate.checks.map((check) => ({ ...check, skipped: 'the contract has no controller' })),
    }));
    const board = new Board('r1', { gates });
    expect(board.checksOf(1)).toEqual([]);
    play(board, 1, PASS);
    expect(board.gate(1)).toMatchObject({ outcome: 'skipped' });
    expect(board.gate(1).checks[0]).toMatchObject({
      outcome: 'skipped',
      summary: 'the contract has no controller',
    });
  });

  it('keeps, when an earlier gate runs again, the evidence of what does not depend on it, and marks it', () => {
    const board = new Board('r1', plan(1, 4, 5, 6));
    for (const gate of [1, 4, 5] as const) play(board, gate, PASS);
    play(board, 6, FAIL);
    board.again(4);
    // Gate 5 does not depend on gate 4.
    expect(board.due()).toEqual([4, 6]);
    for (const gate of [1, 5] as const) {
      expect(board.gate(gate)).toMatchObject({ outcome: 'pass', kept: { runId: 'r1', endedAt: AT } });
    }
    expect(board.gate(4)).toMatchObject({ state: 'pending', runs: 1 });
    play(board, 4, PASS, LATER);
    expect(board.gate(4)).toMatchObject({ runs: 2, endedAt: LATER });
    expect(board.gate(4).kept).toBeUndefined();
  });

  it('begins, from another run, with its gates as they were', () => {
    const first = new Board('r1', plan(1, 2));
    play(first, 1, PASS);
    const kept = { ...first.gate(1), kept: { runId: 'r1', endedAt: AT } };
    const opened = plan(1, 2);
    const board = new Board('r2', { gates: [{ ...opened.gates[0]!, kept }, opened.gates[1]!] });
    expect(board.due()).toEqual([2]);
    play(board, 2, FAIL);
    board.again(2);
    expect(board.gate(1).kept).toEqual({ runId: 'r1', endedAt: AT });
  });

  it('holds back what has not run when it stops', () => {
    const board = new Board('r1', plan(1, 2));
    board.begin(1, AT);
    board.checkEnds(1, 'a1', PASS, AT);
    board.stop();
    expect(board.gates.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['held-back', undefined],
      ['held-back', undefined],
    ]);
    expect(board.gate(1).checks.map(({ state }) => state)).toEqual(['done', 'held-back']);
  });
});

describe('the messages of a run', () => {
  it.each<[unknown, object]>([
    [{ site: 'lab' }, { site: 'lab', runId: 'r1' }],
    [{ site: 'lab', gates: [5, 1, 1] }, { gates: [1, 5] }],
    [
      { site: 'lab', runId: 'r1', onFailure: 'fail', reason: 'nightly' },
      { onFailure: 'fail', reason: 'nightly' },
    ],
    [
      { site: 'lab', from: 3, of: 'r0' },
      { from: 3, of: 'r0' },
    ],
  ])('%j starts one', (input, expected) => {
    expect(parseAcceptanceInput(input, 'r1')).toMatchObject({ ok: true, value: expected });
  });

  it.each<[unknown, string]>([
    [null, '(message)'],
    [{}, 'site'],
    [{ site: 'lab', gates: [] }, 'gates'],
    [{ site: 'lab', gates: [8] }, 'gates'],
    [{ site: 'lab', gates: ['1'] }, 'gates'],
    [{ site: 'lab', runId: 'other' }, 'runId'],
    [{ site: 'lab', from: 3 }, 'of'],
    [{ site: 'lab', of: 'r0' }, 'from'],
    [{ site: 'lab', node: 'n1' }, 'node'],
    [{ site: 'lab', onFailure: 'ask' }, 'onFailure'],
  ])('%j does not, and the field is named', (input, field) => {
    const parsed = parseAcceptanceInput(input, 'r1');
    expect(parsed).toMatchObject({ ok: false, failure: { code: 'INVALID_MESSAGE', details: { field } } });
  });

  it('never throws, whatever comes in', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        for (const parse of [(v: unknown) => parseAcceptanceInput(v, 'r1'), parseResume, parseAbort]) {
          const parsed = parse(input);
          if (!parsed.ok) expect(parsed.failure.code).toBe('INVALID_MESSAGE');
        }
      }),
    );
  });

  it('resume takes a gate, abort a reason', () => {
    expect(parseResume({})).toEqual({ ok: true, value: {} });
    expect(parseResume({ from: 2 })).toEqual({ ok: true, value: { from: 2 } });
    expect(parseResume({ from: 'bmc-access' })).toMatchObject({ ok: false });
    expect(parseAbort({ reason: 'wrong contract' })).toMatchObject({ ok: true });
    expect(parseAbort({})).toMatchObject({ ok: false });
  });
});

describe('what the Web UI shows of a run', () => {
  it('tells gate, owner, fault domain and correction, and escapes what machines said', () => {
    const board = new Board('r1', plan(1, 2));
    play(board, 1, PASS);
    const evil = failure('CHECK_FAILED', '<img src=x> | **bold**', { faultDomain: 'kubernetes' });
    play(board, 2, { ...FAIL, findings: [{ target: 'pod `x`', failure: evil }] });
    const text = acceptanceDetails({
      site: 'lab',
      runId: 'r1',
      startedAt: AT,
      held: true,
      failure: evil,
      stoppedAt: 2,
      gates: board.gates,
      notes: ['<b>'],
      evidence: [],
    });
    expect(text).toContain('### Acceptance of lab: held');
    expect(text).toContain('gate 2, Kubernetes and storage');
    expect(text).toContain('fault domain **kubernetes**');
    expect(text).toContain('send `resume`');
    expect(text).not.toMatch(/<img|<b>|\*\*bold/);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { step } from '../../core/plans/step.ts';
import { mayLeave, stepsToResume, stepsToRun, type Step } from '../../core/steps.ts';

const a = (id: string, needs: string[], makes: string[], over: Partial<Step> = {}): Step =>
  step({ id, title: id, faultDomain: 'bmc', needs, makes, ...over });

/** media -> agent -> write -> off -> boot, as a deployment has it, and nothing more. */
const PLAN: readonly Step[] = [
  a('check', [], ['checked']),
  a('media', [], ['media'], { opensWindow: true, leaves: ['media'] }),
  a('boot', ['media'], ['booted'], { leaves: ['power'] }),
  a('agent', ['booted'], ['alive'], { awaits: 'agent' }),
  a('write', ['alive', 'checked'], ['written']),
  a('verify', ['alive', 'written'], ['verified']),
  a('off', ['verified'], ['off'], { clears: ['power'] }),
  a('eject', ['off'], ['ejected'], { clears: ['media'] }),
];
const ids = (run: readonly number[]): string => run.map((at) => PLAN[at]!.id).join(' ');
const at = (id: string): number => PLAN.findIndex((each) => each.id === id);
const holding =
  (...facts: string[]) =>
  (fact: string): boolean =>
    facts.includes(fact);

describe('the steps to run again', () => {
  const rows: readonly [failed: string, facts: string[], from: string | undefined, run: string][] = [
    ['check', [], undefined, 'check media boot agent write verify off eject'],
    // The agent is there: go on where it failed.
    ['verify', ['checked', 'media', 'booted', 'alive', 'written'], undefined, 'verify off eject'],
    // What was written is there, the agent is gone: boot it again, write nothing again.
    ['verify', ['checked', 'written'], undefined, 'media boot agent verify off eject'],
    // A booted agent that does not answer is waited for, by `stepsToRun` alone.
    ['verify', ['media', 'booted', 'written'], undefined, 'agent verify off eject'],
    // A remembered fact that was broken is made again, and what it needs with it.
    ['verify', ['checked'], undefined, 'media boot agent write verify off eject'],
    ['eject', ['off'], undefined, 'eject'],
    ['eject', [], undefined, 'check media boot agent write verify off eject'],
    // An operator may begin earlier, and never later.
    ['eject', ['off', 'alive', 'checked', 'written'], 'write', 'write verify off eject'],
    ['write', ['alive', 'checked'], 'eject', 'write verify off eject'],
    ['eject', ['checked'], 'write', 'media boot agent write verify off eject'],
  ];
  it.each(rows)('%s failed, %j hold, from %s: %s', (failed, facts, from, run) => {
    const wish = from === undefined ? undefined : at(from);
    expect(ids(stepsToRun(PLAN, at(failed), holding(...facts), wish))).toBe(run);
  });

  it('begin with new media whenever the agent has to be booted or heard again', () => {
    const facts = holding('media', 'booted', 'written', 'checked');
    expect(ids(stepsToResume(PLAN, at('verify'), facts))).toBe('media boot agent verify off eject');
    expect(ids(stepsToResume(PLAN, at('boot'), holding('media', 'checked')))).toBe(
      'media boot agent write verify off eject',
    );
    expect(ids(stepsToResume(PLAN, at('eject'), holding('off')))).toBe('eject');
  });

  it('are the plan of the failed step where nothing awaits an agent', () => {
    const plan = [a('x', [], ['x']), a('y', ['x'], ['y'])];
    expect(stepsToResume(plan, 1, holding('x'))).toEqual([1]);
    expect(stepsToResume(plan, 1, holding())).toEqual([0, 1]);
  });
});

describe('for any plan, any failure, and whatever holds', () => {
  /** Step i makes fact i and needs some of the facts before it. */
  const plans = fc
    .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 9 })
    .map((needs) =>
      needs.map((from, i) =>
        a(
          `s${i}`,
          i === 0 ? [] : [...new Set(from.map((n) => `f${n % i}`))],
          [`f${i}`],
          i === 1 ? { opensWindow: true } : i === 3 ? { awaits: 'agent' } : {},
        ),
      ),
    );
  const cases = plans.chain((plan) =>
    fc.record({
      plan: fc.constant(plan),
      failedAt: fc.nat({ max: plan.length - 1 }),
      facts: fc.subarray(plan.map((_, i) => `f${i}`)),
      from: fc.option(fc.nat({ max: plan.length - 1 }), { nil: undefined }),
    }),
  );

  it.each([
    ['stepsToRun', stepsToRun],
    ['stepsToResume', stepsToResume],
  ])(
    '%s keeps the order, runs the failed step and all after it, and makes each fact in time',
    (_, choose) => {
      fc.assert(
        fc.property(cases, ({ plan, failedAt, facts, from }) => {
          const run = choose(plan, failedAt, holding(...facts), from);
          expect(run).toEqual([...new Set(run)].sort((x, y) => x - y));
          for (let i = Math.min(failedAt, from ?? failedAt); i < plan.length; i++) expect(run).toContain(i);
          const true_ = new Set(facts);
          for (const i of run) {
            for (const fact of plan[i]!.needs) expect(true_).toContain(fact);
            for (const fact of plan[i]!.makes) true_.add(fact);
          }
        }),
        { numRuns: 1000 },
      );
    },
  );

  it('stepsToRun runs no earlier step whose facts all hold', () => {
    fc.assert(
      fc.property(cases, ({ plan, failedAt, facts }) => {
        const run = stepsToRun(plan, failedAt, holding(...facts));
        for (const i of run.filter((each) => each < failedAt)) {
          expect(plan[i]!.makes.every((fact) => facts.includes(fact))).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a plan may leave', () => {
  it('is what any of its steps leaves, each once, in the order of the list', () => {
    expect(mayLeave(PLAN)).toEqual(['media', 'power']);
    expect(mayLeave([])).toEqual([]);
  });
});

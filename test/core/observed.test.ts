import { describe, expect, it } from 'vitest';
import { healthOf, powerOf, type NodeRecord } from '../../core/node.ts';
import { afterLook, afterOperation, parseObserved, type Observed } from '../../core/observed.ts';
import type { OperationEnd } from '../../core/operations.ts';
import { ended } from '../../core/transitions.ts';
import { aNode, anOperation } from './support.ts';

const AT = '2026-03-01T10:00:00.000Z';
const THEN = '2026-03-01T09:00:00.000Z';
const known = (over: Partial<NodeRecord> = {}): NodeRecord =>
  aNode({ generation: 7, phase: 'available', power: 'on', health: 'OK', ...over });
const seen = (over: Partial<Observed> = {}): Observed => ({
  generation: 7,
  at: AT,
  reachable: true,
  power: 'on',
  health: 'OK',
  ...over,
});
const silent = (over: Partial<Observed> = {}): Observed => ({
  generation: 7,
  at: AT,
  reachable: false,
  why: 'BMC_UNREACHABLE',
  ...over,
});

describe('what the watch sees of a node', () => {
  const toOff = { from: 'on', to: 'off', at: AT, by: 'outside' };

  it.each<[string, NodeRecord, Observed, object | undefined]>([
    ['as it was: nothing', known(), seen(), undefined],
    ['nothing told: nothing', known(), { generation: 7, at: AT, reachable: true }, undefined],
    ['other power: named', known(), seen({ power: 'off' }), { power: 'off', powerChange: toOff }],
    [
      'the power is back: named as what it is now',
      known({ power: 'off', powerChange: { ...toOff, at: THEN } as never }),
      seen(),
      { power: 'on', powerChange: { from: 'off', to: 'on', at: AT, by: 'outside' } },
    ],
    [
      'power that was unknown: taken, nobody changed it',
      known({ power: 'unknown' }),
      seen(),
      { power: 'on' },
    ],
    [
      'power left behind: taken, nobody changed it',
      known({ residue: ['power'] }),
      seen({ power: 'off' }),
      { power: 'off' },
    ],
    ['other health: taken', known(), seen({ health: 'Critical' }), { health: 'Critical' }],
    [
      'operated on: its power is the business of the operation',
      known({ operation: anOperation() }),
      seen({ power: 'off' }),
      undefined,
    ],
    [
      'held: health is taken, power is not',
      known({ operation: anOperation({ held: true }) }),
      seen({ power: 'off', health: 'Warning' }),
      { health: 'Warning', power: 'on' },
    ],
    ['a look of before the record: nothing', known(), seen({ generation: 6, power: 'off' }), undefined],
    [
      'not to be read: since when, and why',
      known(),
      silent(),
      { unreachable: { since: AT, why: 'BMC_UNREACHABLE' }, power: 'on', health: 'OK' },
    ],
    [
      'not to be read, as before: nothing',
      known({ unreachable: { since: THEN, why: 'BMC_UNREACHABLE' } }),
      silent(),
      undefined,
    ],
    [
      'not to be read for another reason: since the first',
      known({ unreachable: { since: THEN, why: 'BMC_UNREACHABLE' } }),
      silent({ why: 'BMC_AUTH_FAILED' }),
      { unreachable: { since: THEN, why: 'BMC_AUTH_FAILED' } },
    ],
    [
      'to be read again, as it was',
      known({ unreachable: { since: THEN, why: 'BMC_UNREACHABLE' } }),
      seen(),
      { unreachable: null, power: 'on', health: 'OK' },
    ],
    [
      'to be read again, and switched off meanwhile: named',
      known({ unreachable: { since: THEN, why: 'BMC_UNREACHABLE' } }),
      seen({ power: 'off' }),
      { unreachable: null, power: 'off', powerChange: toOff },
    ],
  ])('%s', (_, node, look, expected) => {
    const next = afterLook(node, look, false);
    if (expected === undefined) expect(next).toBeUndefined();
    else expect(next).toMatchObject(expected);
    if (!Object.hasOwn(expected ?? {}, 'powerChange')) expect(next?.powerChange).toBe(undefined);
  });

  it('is ignored while the node knows more than its record', () => {
    expect(afterLook(known(), seen({ power: 'off' }), true)).toBeUndefined();
  });

  it('is remembered as what changed, the last twenty', () => {
    let node = known();
    for (let i = 0; i < 25; i++) node = afterLook(node, seen({ power: i % 2 === 0 ? 'off' : 'on' }), false)!;
    expect(node.changes).toHaveLength(20);
    expect(node.changes!.at(-1)).toEqual({ at: AT, what: 'power', from: 'on', to: 'off' });
    node = afterLook(known(), silent(), false)!;
    node = afterLook(node, seen({ health: 'Warning', at: THEN }), false)!;
    expect(node.changes).toEqual([
      { at: AT, what: 'reachable', from: 'yes', to: 'BMC_UNREACHABLE' },
      { at: THEN, what: 'reachable', from: 'BMC_UNREACHABLE', to: 'yes' },
      { at: THEN, what: 'health', from: 'OK', to: 'Warning' },
    ]);
  });

  it('of a BMC that cannot be read, power and health are not known', () => {
    const node = afterLook(known(), silent(), false)!;
    expect([powerOf(node), healthOf(node)]).toEqual(['unknown', 'unknown']);
    expect([powerOf(known()), healthOf(known())]).toEqual(['on', 'OK']);
  });
});

describe('an operation after the power was changed outside', () => {
  const outside = { from: 'on', to: 'off', at: THEN, by: 'outside' } as const;
  const end = (over: Partial<OperationEnd> = {}): OperationEnd => ({
    outcome: 'pass',
    phase: 'available',
    residue: [],
    ...over,
  });
  const after = (
    kind: 'power' | 'inspect' | 'reimage',
    over: Partial<NodeRecord>,
    how: OperationEnd,
  ): NodeRecord => {
    const before = known({ operation: anOperation({ kind }), ...over });
    return afterOperation(before, ended(before, how), how, AT);
  };

  it('answers for the power that it set', () => {
    const node = after('power', { power: 'off', powerChange: outside }, end({ power: 'on' }));
    expect(node).toMatchObject({ power: 'on', powerChange: null });
  });

  it('leaves the change named where it did nothing', () => {
    const failed = end({ outcome: 'fail' });
    expect(after('reimage', { powerChange: outside }, failed)).toMatchObject({
      power: 'on',
      powerChange: outside,
    });
    expect(
      after('inspect', { power: 'off', powerChange: outside }, end({ power: 'off' })).powerChange,
    ).toEqual(outside);
  });

  it.each([
    ['reimage', anOperation({ kind: 'reimage', step: 'boot-agent' })],
    ['clean', anOperation({ kind: 'clean', step: 'erase' })],
    ['an inspection that does not tell', anOperation({ kind: 'inspect' })],
    ['the clean-up of a lost one', anOperation({ kind: 'cleanup', cleans: 'power' })],
  ])('may have switched it without telling: %s', (_, operation) => {
    const before = known({ operation, powerChange: outside });
    const node = afterOperation(before, ended(before, end()), end(), AT);
    expect(node).toMatchObject({ power: 'unknown', powerChange: null });
    // What is seen next is nobody else's doing.
    expect(afterLook(node, seen({ power: 'off' }), false)).toMatchObject({ power: 'off', powerChange: null });
  });

  it.each([
    ['one that began nothing', anOperation({ kind: 'reimage' })],
    ['an inspection that failed', anOperation({ kind: 'inspect', step: 'connect' })],
    ['the clean-up of an inspection', anOperation({ kind: 'cleanup', cleans: 'inspect' })],
  ])('has left it: %s', (_, operation) => {
    const before = known({ operation });
    const failed = end({ outcome: 'fail' });
    expect(afterOperation(before, ended(before, failed), failed, AT).power).toBe('on');
  });

  it('that only looked names a change that it was the first to see', () => {
    const node = after('inspect', { power: 'on' }, end({ power: 'off' }));
    expect(node).toMatchObject({ power: 'off', powerChange: { ...outside, at: AT } });
    expect(after('inspect', { power: 'unknown' }, end({ power: 'off' })).powerChange).toBeUndefined();
  });

  it('has reached the BMC, if it passed', () => {
    const unreachable = { since: THEN, why: 'BMC_UNREACHABLE' };
    expect(after('power', { unreachable }, end({ power: 'on' })).unreachable).toBeNull();
    expect(after('power', { unreachable }, end({ outcome: 'fail' })).unreachable).toEqual(unreachable);
  });
});

describe('a message of the watch', () => {
  it.each([
    [null, '(message)'],
    [[], '(message)'],
    ['on', '(message)'],
    [{ ...seen(), generation: -1 }, 'generation'],
    [{ ...seen(), generation: 1.5 }, 'generation'],
    [{ ...seen(), generation: undefined }, 'generation'],
    [{ ...seen(), at: 'now' }, 'at'],
    [{ ...seen(), reachable: 'yes' }, 'reachable'],
    [{ ...seen(), power: 'unknown' }, 'power'],
    [{ ...seen(), health: 'x'.repeat(301) }, 'health'],
    [{ ...silent(), why: 'because' }, 'why'],
    [{ ...seen(), site: 's' }, 'site'],
  ])('that is %j is answered with the field', (input, field) => {
    expect(parseObserved(input)).toMatchObject({ ok: false, problem: { field } });
  });
});

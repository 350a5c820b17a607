import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObservedMessage, VERB_MESSAGES } from '../../contracts/messages.ts';
import { parseVerb, VERB_FIELDS } from '../../core/messages.ts';
import { OBSERVED_FIELDS, parseObserved } from '../../core/observed.ts';
import { ALL_VERBS, type Verb } from '../../core/verbs.ts';

/** Values that are right for some field somewhere, and their near misses. */
const NEAR: readonly unknown[] = [
  'hold',
  'fail',
  'full',
  'metadata',
  'on',
  'off',
  'reboot',
  'ubuntu-24.04',
  'Team@a',
  'a b',
  'UPPER',
  '',
  '90s',
  '2h',
  '0s',
  '400d',
  '1h30m',
  90,
  0,
  -1,
  1.5,
  1e9,
  true,
  false,
  null,
  {},
  [],
  ['ssh-ed25519 A'],
  'env:A',
  'file:/a b',
  'file:/ab',
  'blob:x',
  'exec:x',
  'r1',
  'cleanup-1',
  '-x',
  'a/b',
  'x'.repeat(128),
  'x'.repeat(129),
  'x'.repeat(1000),
  'x'.repeat(1001),
  'a\u0000b',
  'a\nb',
  '\n',
  'ssh-rsa A\nB',
  'é',
  '💥',
  ['connect'],
  ['Connect'],
  ['a', 1],
  Array(32).fill('ssh-x'),
  Array(33).fill('ssh-x'),
  Array(65).fill('a'),
  '😀'.repeat(500),
  '😀'.repeat(501),
  'n1',
  'n1.example',
  '.n1',
  'insert-media',
  ['firmware'],
  ['firmware', 'bios'],
  ['firmware', 'firmware'],
  ['firmware', { step: 'firmware' }],
  [],
  [{ step: 'firmware', baseline: 'gpu-8x-2026-03' }],
  [{ step: 'firmware', baseline: '../x' }],
  [{ step: 'firmware', baseline: null }],
  [{ step: 'firmware', settings: { A: 1 } }],
  [{ step: 'bios' }],
  [{ step: 'bios', settings: {} }],
  [{ step: 'bios', settings: [] }],
  [{ step: 'bios', settings: { LogicalProc: 'Disabled', NumaNodesPerSocket: 4, Turbo: true } }],
  [{ step: 'bios', settings: { A: 1.5 } }],
  [{ step: 'bios', settings: { A: null } }],
  [{ step: 'bios', settings: { A: 'a\nb' } }],
  [{ step: 'bios', settings: { A: 'x'.repeat(1001) } }],
  [{ step: 'bios', settings: { '1A': 'x' } }],
  [{ step: 'bios', settings: JSON.parse('{"__proto__": "x"}') as object }],
  [{ step: 'bios', settings: { A: 1 }, baseline: 'a' }],
  [{ step: 'bios', settings: Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`A${i}`, i])) }],
  [{ step: 'bios', settings: { SetupPassword: 'x' } }],
  [{ step: 'bios', settings: { SETUPPASSWORD: 'x' } }],
  [{ step: 'bios', settings: { PasswordStatus: 'Locked' } }],
  [{ step: 'raid' }],
  [{}],
  [null],
];
const COMMON = ['requestId', 'reason', 'onFailure', 'deadline'];

const agree = (verb: Verb, input: unknown): void => {
  const ours = parseVerb(verb, input, () => 'new');
  const theirs = VERB_MESSAGES[verb].safeParse(input);
  const shown = `${verb} ${JSON.stringify(input)?.slice(0, 300)}`;
  expect({ shown, ok: ours.ok }).toEqual({ shown, ok: theirs.success });
  if (!ours.ok || !theirs.success) return;
  const { requestId, reason, onFailure, deadline, ...args } = theirs.data as { [field: string]: unknown };
  expect(ours.value.args).toEqual(args);
  expect(ours.value.requestId).toBe(requestId ?? 'new');
  expect(ours.value.reason).toBe(reason);
  expect(ours.value.onFailure).toBe(onFailure);
  expect(ours.value.deadlineSeconds === undefined).toBe(deadline === undefined);
};

describe('the schema of every verb', () => {
  it.each(ALL_VERBS)('%s: accepts and refuses what the parser of core does', (verb) => {
    const names = [...COMMON, ...Object.keys(VERB_FIELDS[verb])];
    const value = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...NEAR) }, fc.jsonValue());
    const message = fc.dictionary(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...names) },
        fc.constantFrom('__proto__', 'x', 'from'),
      ),
      value,
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: message }, fc.jsonValue()), (input) => agree(verb, input)),
      { numRuns: 400 },
    );
  });

  it.each(ALL_VERBS)('%s: agrees on each value that is nearly right, field by field', (verb) => {
    const right: { [field: string]: unknown } = {
      image: 'a',
      on: true,
      reason: 'r',
      steps: ['firmware'],
      state: 'on',
      owner: 'o',
    };
    const needed = Object.entries(VERB_FIELDS[verb]).filter(([, field]) => field.required);
    const base = Object.fromEntries(needed.map(([name]) => [name, right[name]]));
    agree(verb, base);
    expect(VERB_MESSAGES[verb].safeParse(base).success).toBe(true);
    for (const name of [...COMMON, ...Object.keys(VERB_FIELDS[verb])]) {
      for (const value of NEAR) agree(verb, { ...base, [name]: value });
    }
    for (const [name] of needed) {
      const { [name]: _, ...rest } = base;
      agree(verb, rest);
    }
    agree(verb, JSON.parse('{"__proto__": {"image": "a"}}'));
    agree(verb, { ...base, toString: 'a' });
  });
});

describe('the schema of what the watch sends', () => {
  const right = { generation: 3, at: '2026-03-01T10:00:00.123Z', reachable: true, power: 'on', health: 'OK' };
  const near = [
    ...NEAR,
    2 ** 53,
    -0,
    'OK',
    'x'.repeat(300),
    'x'.repeat(301),
    'BMC_UNREACHABLE',
    'A',
    '2026-03-01',
  ];
  const same = (input: unknown): void => {
    const ours = parseObserved(input);
    const theirs = ObservedMessage.safeParse(input);
    const shown = JSON.stringify(input)?.slice(0, 300);
    expect({ shown, ok: ours.ok }).toEqual({ shown, ok: theirs.success });
    if (ours.ok) expect(ours.value).toEqual(theirs.data);
  };

  it('agrees with the parser of core on each value that is nearly right, field by field', () => {
    expect(ObservedMessage.safeParse(right).success).toBe(true);
    for (const name of Object.keys(OBSERVED_FIELDS)) {
      for (const value of near) same({ ...right, [name]: value });
      same({ ...right, [name]: undefined });
    }
    for (const value of near) same(value);
    same({ ...right, more: 1 });
  });

  it('agrees with the parser of core on any value', () => {
    const value = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...near) }, fc.jsonValue());
    const names = fc.constantFrom(...Object.keys(OBSERVED_FIELDS), '__proto__', 'x');
    const message = fc
      .dictionary(names, value, { maxKeys: 4 })
      .map((some): unknown => ({ ...right, ...some }));
    fc.assert(fc.property(fc.oneof(message, fc.jsonValue()), same), { numRuns: 500 });
  });
});

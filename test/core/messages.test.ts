import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNodeInput, parseVerb, VERB_FIELDS } from '../../core/messages.ts';
import { ALL_VERBS, type Verb } from '../../core/verbs.ts';

const parse = (verb: Verb, input: unknown) => parseVerb(verb, input, () => 'made-here');
const SSH = `ssh-ed25519 ${'A'.repeat(60)} me@example`;

describe('messages that are right', () => {
  const rows: readonly [verb: Verb, input: object][] = [
    ['enroll', {}],
    ['inspect', { reason: 'after the move' }],
    ['clean', { erase: 'metadata' }],
    ['clean', { erase: 'full', deadline: '1d' }],
    ['deploy', { image: 'ubuntu-24.04' }],
    ['deploy', { image: 'a', owner: 'Team-A@site', userData: 'blob:1', sshKeys: [SSH], hostname: 'gpu-1.a' }],
    ['deploy', { image: 'a', userData: 'env:USER_DATA' }],
    ['reimage', { image: 'a', keepData: true }],
    ['release', { onFailure: 'fail' }],
    ['service', { steps: ['firmware', 'bios'] }],
    ['rescue', { sshKeys: [] }],
    ['unrescue', {}],
    ['power', { state: 'on' }],
    ['power', { state: 'off' }],
    ['power', { state: 'reboot' }],
    ['maintenance', { on: false, reason: 'done' }],
    ['quarantine', { reason: 'flapping' }],
    ['unquarantine', { reason: 'cable' }],
    ['adopt', { owner: 'team-a', image: 'a' }],
    ['decommission', {}],
    ['resume', {}],
    ['resume', { from: 'insert-media' }],
    ['abort', { reason: 'wrong image' }],
  ];
  it.each(rows)('%s %j', (verb, input) => {
    expect(parse(verb, input)).toMatchObject({ ok: true, value: { verb } });
  });

  it('cover every verb', () => {
    expect([...new Set(rows.map(([verb]) => verb))].sort()).toEqual([...ALL_VERBS].sort());
  });

  it('are split into common fields and the arguments of the verb', () => {
    const input = {
      requestId: 'r1',
      reason: 'why',
      onFailure: 'hold',
      deadline: '1h30m',
      image: 'a',
      owner: 'b',
    };
    expect(parse('deploy', input)).toEqual({
      ok: true,
      value: {
        verb: 'deploy',
        requestId: 'r1',
        reason: 'why',
        onFailure: 'hold',
        deadlineSeconds: 5400,
        args: { image: 'a', owner: 'b' },
        fingerprint: expect.stringMatching(/^[0-9a-f]{14}$/),
      },
    });
  });

  it('get a requestId where the sender gave none', () => {
    expect(parse('enroll', {})).toMatchObject({ value: { requestId: 'made-here' } });
  });
});

describe('messages that are wrong name the field', () => {
  const rows: readonly [verb: Verb, input: unknown, field: string][] = [
    ['enroll', null, '(message)'],
    ['enroll', undefined, '(message)'],
    ['enroll', [], '(message)'],
    ['enroll', 'x', '(message)'],
    ['enroll', 7, '(message)'],
    ['enroll', { image: 'a' }, 'image'],
    ['enroll', { 'a b': 1 }, '(unprintable)'],
    ['enroll', { requestId: '' }, 'requestId'],
    ['enroll', { requestId: '../x' }, 'requestId'],
    ['enroll', { requestId: 'a'.repeat(129) }, 'requestId'],
    ['enroll', { requestId: 'cleanup-1' }, 'requestId'],
    ['enroll', { onFailure: 'retry' }, 'onFailure'],
    ['enroll', { deadline: '1 hour' }, 'deadline'],
    ['enroll', { deadline: -1 }, 'deadline'],
    ['enroll', { reason: '' }, 'reason'],
    ['clean', { erase: 'some' }, 'erase'],
    ['deploy', {}, 'image'],
    ['deploy', { image: null }, 'image'],
    ['deploy', { image: '../etc' }, 'image'],
    ['deploy', { image: 'a', userData: '#cloud-config' }, 'userData'],
    ['deploy', { image: 'a', userData: 'exec:id' }, 'userData'],
    ['deploy', { image: 'a', sshKeys: SSH }, 'sshKeys'],
    ['deploy', { image: 'a', sshKeys: [`${SSH}\nssh-rsa B`] }, 'sshKeys'],
    ['deploy', { image: 'a', sshKeys: Array.from({ length: 33 }, () => SSH) }, 'sshKeys'],
    ['deploy', { image: 'a', hostname: 'A_B' }, 'hostname'],
    ['deploy', { image: 'a', owner: 'a b' }, 'owner'],
    ['reimage', { image: 'a', keepData: 'yes' }, 'keepData'],
    ['service', {}, 'steps'],
    ['service', { steps: [{ step: 'bios', settings: { AdminPassword: 'x' } }] }, 'steps'],
    ['power', {}, 'state'],
    ['power', { state: 'ON' }, 'state'],
    ['maintenance', { reason: 'x' }, 'on'],
    ['maintenance', { on: true }, 'reason'],
    ['quarantine', {}, 'reason'],
    ['adopt', {}, 'owner'],
    ['resume', { from: 'Insert Media' }, 'from'],
    ['abort', {}, 'reason'],
  ];
  it.each(rows)('%s %j: %s', (verb, input, field) => {
    expect(parse(verb, input)).toMatchObject({
      ok: false,
      failure: { code: 'INVALID_MESSAGE', details: { field, verb } },
    });
  });

  it('keep a good requestId, so that the sender can be answered', () => {
    expect(parse('power', { requestId: 'r1', state: 'ON' })).toMatchObject({ requestId: 'r1' });
    expect(parse('power', { requestId: 'no good', state: 'ON' })).not.toHaveProperty('requestId');
    expect(parse('power', { requestId: 'cleanup-1', state: 'on' })).not.toHaveProperty('requestId');
  });

  it('are never quoted: they may hold a secret', () => {
    const parsed = parse('deploy', { image: 'a', userData: 'password: hunter2' });
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});

/** Values that JSON cannot make, in case a data converter can. */
const hostile = fc.constantFrom<unknown>(
  Object.create(null),
  { __proto__: { image: 'inherited' } },
  JSON.parse('{"__proto__": {"image": "a"}, "constructor": 1}'),
  { requestId: { toString: () => 'r1' } },
  { requestId: ['r1'], image: ['a'] },
  { image: Object('a') },
  { deadline: Number.NaN },
  { deadline: Number.POSITIVE_INFINITY },
  { sshKeys: { length: 1, 0: SSH } },
  // oxlint-disable-next-line no-sparse-arrays
  { image: 'a', sshKeys: [, SSH] },
  { hasOwnProperty: 1 },
  () => undefined,
  Symbol('x'),
  10n,
  new Date(),
  new Map([['image', 'a']]),
);
const anything = fc.oneof(
  fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true, withSet: true }),
  hostile,
  fc.dictionary(fc.constantFrom('image', 'requestId', 'reason', 'state', 'on', 'owner', 'x'), fc.anything()),
);

describe('any value at all', () => {
  it('gives a request or a failure, and never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL_VERBS), anything, (verb, input) => {
        const parsed = parse(verb, input);
        if (!parsed.ok) return parsed.failure.code === 'INVALID_MESSAGE';
        // What is let in can stand in a history, and has no field that the verb does not have.
        const back: unknown = JSON.parse(JSON.stringify(parsed.value));
        expect(back).toEqual(parsed.value);
        return Object.keys(parsed.value.args).every((name) => Object.hasOwn(VERB_FIELDS[verb], name));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives a node input or a problem, and never throws', () => {
    fc.assert(fc.property(anything, (input) => typeof parseNodeInput(input).ok === 'boolean'));
  });
});

describe('the input of a node', () => {
  it('is a site and a node; what else there is belongs to the entity', () => {
    expect(parseNodeInput({ site: 'lab', node: 'gpu-01', memory: {} })).toEqual({
      ok: true,
      value: { site: 'lab', node: 'gpu-01' },
    });
  });

  it.each([
    [null, '(message)'],
    [{}, 'site'],
    [{ site: 'lab' }, 'node'],
    [{ site: 'Lab', node: 'n' }, 'site'],
    [{ site: 'lab', node: 'a/b' }, 'node'],
    [{ site: 'lab', node: 'a'.repeat(64) }, 'node'],
  ])('%j is wrong: %s', (input, field) => {
    expect(parseNodeInput(input)).toMatchObject({ ok: false, problem: { field } });
  });
});

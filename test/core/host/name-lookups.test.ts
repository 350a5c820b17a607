import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { hostScript, readAnswers } from '../../../core/host/answers.ts';
import {
  judgeConsistency,
  judgeLookups,
  LOOKUP_QUESTIONS,
  readLookups,
} from '../../../core/host/name-lookups.ts';

const C1 = { name: 'c1', address: '192.0.2.11' };
const C2 = {
  name: 'c2',
  hostname: 'c2.example.org',
  address: '192.0.2.12',
  interfaces: [{ name: 'eno2', address: '198.51.100.12' }],
};
const GETENT = { text: '/usr/bin/getent', exit: 0 };

describe('lookups', () => {
  it('are asked of a real resolver, all at once', () => {
    const names = ['localhost', 'no-such-host.invalid'];
    const said = execFileSync('sh', ['-c', hostScript(LOOKUP_QUESTIONS), 'sh', ...names], {
      encoding: 'utf8',
    });
    const found = readLookups(readAnswers(said, LOOKUP_QUESTIONS), names);
    expect(found.get('localhost')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]),
    );
    expect(found.get('no-such-host.invalid')).toEqual([]);
  });

  it('each address is told once; a name that is not found has none', () => {
    const lookups = {
      text: 'name c2 2 0\nname c1 0 0 192.0.2.11 192.0.2.11 192.0.2.11 fd00::11 fd00::11',
      exit: 0,
    };
    expect([...readLookups({ getent: GETENT, lookups }, ['c1', 'c2'])]).toEqual([
      ['c1', ['192.0.2.11', 'fd00::11']],
      ['c2', []],
    ]);
  });

  it.each([
    ['name c1 2 10', /did not find c1, and took 10 s/],
    ['', /does not say how it looked up c1/],
  ])('%j cannot be told', (text, message) => {
    expect(() => readLookups({ getent: GETENT, lookups: { text, exit: 0 } }, ['c1'])).toThrow(message);
  });

  it('take getent', () => {
    const answers = { getent: { text: '', exit: 1 }, lookups: { text: 'name c1 127 0', exit: 0 } };
    expect(() => readLookups(answers, ['c1'])).toThrow('It has no `getent`');
  });
});

const judge = (c1: string[], c2: string[]) =>
  judgeLookups(
    C1,
    [C1, C2],
    new Map([
      ['c1', c1],
      ['c2.example.org', c2],
    ]),
  ).map(({ message }) => message);

describe('what c1 finds', () => {
  it.each([
    [['192.0.2.11'], ['192.0.2.12']],
    // Its own name by nss-myhostname: all that it has.
    [
      ['192.0.2.11', 'fe80::1', '198.51.100.11'],
      ['192.0.2.12', '198.51.100.12'],
    ],
    [
      ['127.0.1.1', '192.0.2.11'],
      ['192.0.2.12', 'fe80::2'],
    ],
  ])('%j and %j is right', (c1, c2) => {
    expect(judge(c1, c2)).toEqual([]);
  });

  it.each<[string[], string[], RegExp]>([
    [[], ['192.0.2.12'], /does not find its own name c1/],
    [['192.0.2.11'], [], /does not find the name c2.example.org/],
    [['127.0.1.1'], ['192.0.2.12'], /its own name c1 at 127.0.1.1, which is itself on every host/],
    [['192.0.2.11'], ['127.0.1.1'], /the name c2.example.org at 127.0.1.1/],
    [['192.0.2.99'], ['192.0.2.12'], /its own name c1 at 192.0.2.99; the contract says 192.0.2.11/],
    [['192.0.2.11'], ['192.0.2.12', '192.0.2.99'], /also at 192.0.2.99, which the contract does not give/],
    [['192.0.2.11'], ['192.0.2.12', '127.0.1.1'], /also at 127.0.1.1/],
  ])('%j and %j is not', (c1, c2, message) => {
    expect(judge(c1, c2)).toEqual([expect.stringMatching(message)]);
  });

  it('an address that the contract gives as a name only has to be the same everywhere', () => {
    const named = { name: 'c2', address: 'c2.example.org' };
    const seen = (at: string) => new Map([['c2', [at]]]);
    const all = [C1, named, { name: 'c3', address: '192.0.2.13' }];
    const at = (c1: string, c3: string) =>
      judgeConsistency(
        all,
        C1,
        new Map([
          ['c1', seen(c1)],
          ['c2', seen('127.0.1.1')],
          ['c3', seen(c3)],
        ]),
      );
    expect(at('192.0.2.12', '192.0.2.12')).toEqual([]);
    expect(at('192.0.2.12', '192.0.2.77')).toEqual([
      expect.objectContaining({ message: 'It finds c2 at 192.0.2.12, and c3 finds it at 192.0.2.77.' }),
    ]);
  });
});

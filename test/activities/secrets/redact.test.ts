import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../core/json.ts';
import { MASK, SecretSet, redact } from '../../../activities/secrets/redact.ts';

const SECRET = 'p@ss w"rd/é+1';
const secrets = new SecretSet([SECRET]);
const basic = (user: string): string => Buffer.from(`${user}:${SECRET}`).toString('base64');

describe('redact', () => {
  test.each<[string, Json, Json]>([
    ['a whole value', SECRET, MASK],
    ['a part', `password=${SECRET};`, `password=${MASK};`],
    ['twice', `${SECRET}${SECRET}`, `${MASK}${MASK}`],
    ['a key', { [SECRET]: 1 }, { [MASK]: 1 }],
    ['deep', [{ a: [{ b: SECRET }] }], [{ a: [{ b: MASK }] }]],
    ['in JSON text', JSON.stringify({ p: SECRET }), `{"p":"${MASK}"}`],
    ['in a URL', `https://h/?p=${encodeURIComponent(SECRET)}&q`, `https://h/?p=${MASK}&q`],
    ['in a form', new URLSearchParams({ p: SECRET }).toString(), `p=${MASK}`],
    ['in base64', `x ${Buffer.from(SECRET).toString('base64').replace(/=+$/, '')} y`, `x ${MASK} y`],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex'), MASK],
    ['nothing to mask', { a: 1, b: null, c: true, d: 'p@ss' }, { a: 1, b: null, c: true, d: 'p@ss' }],
  ])('%s', (_title, value, expected) => {
    expect(redact(value, secrets)).toEqual(expected);
  });

  test.each(['a', 'ab', 'abc', 'admin', 'administrator'])('within a Basic header of user %s', (user) => {
    const header = `Basic ${basic(user)}`;
    const masked = redact(header, secrets);
    expect(masked).toContain(MASK);
    // What is left of it gives at most the ends of the secret back.
    const left = masked
      .slice(6)
      .split(MASK)
      .map((part) => Buffer.from(part, 'base64').toString());
    expect(left.join('|')).not.toContain(SECRET.slice(1, -1));
  });

  test('the shortest secrets that are masked as parts, within a Basic header', () => {
    const header = (text: string): string => Buffer.from(text).toString('base64');
    expect(redact(`Basic ${header('root:calvin')}`, new SecretSet(['calvin']))).toBe(
      `Basic cm9vdDp${MASK}4=`,
    );
    expect(redact(`Basic ${header('ab:wxyz')}`, new SecretSet(['wxyz']))).toBe(`Basic YWI6${MASK}==`);
  });

  test('a short secret is masked where it is the whole value, as text or number', () => {
    const short = new SecretSet(['42', 'abc']);
    expect(redact(['42', 42, 'room 42', 'abc', 'abcd'], short)).toEqual([
      MASK,
      MASK,
      'room 42',
      MASK,
      'abcd',
    ]);
  });

  test('each line of a key file is masked by itself', () => {
    const key = new SecretSet(['-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----']);
    expect(redact('found MIIEvQIBADANBg in a log', key)).toBe(`found ${MASK} in a log`);
  });

  test('the value given is left as it is; empty secrets mask nothing', () => {
    const value = { a: [SECRET] };
    redact(value, secrets);
    expect(value).toEqual({ a: [SECRET] });
    expect(redact('text', new SecretSet(['']))).toBe('text');
  });

  test('no secret is ever left, raw or encoded, wherever it stands', () => {
    const secret = fc
      .string({ unit: 'grapheme', minLength: 6, maxLength: 30 })
      .filter((text) => text.length >= 6 && !MASK.includes(text) && !/^\s|\s$/.test(text));
    const encode = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => encodeURIComponent(text),
      (text) => JSON.stringify(text),
      (text) => Buffer.from(text).toString('base64'),
      (text) => Buffer.from(text).toString('base64url'),
      (text) => Buffer.from(text).toString('hex'),
    );
    const noise = fc.string({ maxLength: 12 });
    const leak = fc.tuple(noise, secret, encode, noise);
    fc.assert(
      fc.property(fc.array(leak, { minLength: 1, maxLength: 4 }), fc.jsonValue(), (leaks, rest) => {
        const set = new SecretSet(leaks.map(([, value]) => value));
        const texts = leaks.map(([before, value, code, after]) => before + code(value) + after);
        const masked = redact({ texts, nested: { [texts[0]!]: texts }, rest } as Json, set);
        const strings: string[] = [];
        JSON.stringify(masked, (key, value: unknown) => {
          strings.push(key);
          if (typeof value === 'string') strings.push(value);
          return value;
        });
        for (const [, value, code] of leaks) {
          for (const text of strings) {
            expect(text.includes(value)).toBe(false);
            expect(text.includes(code(value))).toBe(false);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

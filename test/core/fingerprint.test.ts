import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../core/canonical-json.ts';
import { fingerprint } from '../../core/fingerprint.ts';
import type { Json } from '../../core/json.ts';

const json = fc.jsonValue() as fc.Arbitrary<Json>;

/** The same value with the keys of every object in the opposite order. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, turned(each)]),
  );
}

describe('canonical JSON', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ '': { z: 0, y: 'ü"' } }, '{"":{"y":"ü\\"","z":0}}'],
    [[], '[]'],
    ['text', '"text"'],
  ])('%j is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('says what the value is, whatever the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe('a fingerprint', () => {
  it('stays what it was: kept requests are told apart by it', () => {
    expect(fingerprint({ verb: 'reimage', args: { image: 'a' } })).toBe(
      fingerprint({ args: { image: 'a' }, verb: 'reimage' }),
    );
    expect(fingerprint({})).toBe('1bc27f5a56d1e7');
    expect(fingerprint({ verb: 'enroll', args: {} })).toBe('17aa19be3c314e');
  });

  it('has 14 hexadecimal digits and differs for different values', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(fingerprint(a)).toMatch(/^[0-9a-f]{14}$/);
        expect(fingerprint(a) === fingerprint(b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import {
  boolean,
  describe as kindOf,
  listOf,
  oneOf,
  parseFields,
  pattern,
  required,
} from '../../core/fields.ts';

const FIELDS = {
  name: required(pattern(/^[a-z]{1,5}$/, 'up to five letters')),
  size: oneOf('small', 'large'),
  on: boolean,
  tags: listOf(oneOf('a', 'b'), 2),
};

describe('the fields of a message', () => {
  it('are taken as they are; what is not given is not there', () => {
    expect(parseFields({ name: 'abc', tags: ['a'] }, FIELDS)).toEqual({
      ok: true,
      value: { name: 'abc', tags: ['a'] },
    });
    expect(parseFields({ name: 'abc', on: undefined }, FIELDS)).toEqual({ ok: true, value: { name: 'abc' } });
  });

  it.each([
    [{}, 'name', 'is required: up to five letters'],
    [{ name: 'ABC' }, 'name', 'must be up to five letters, not a string of 3 characters'],
    [{ name: 'abc', size: 'huge' }, 'size', 'must be one of small, large, not a string of 4 characters'],
    [{ name: 'abc', on: null }, 'on', 'must be true or false, not null'],
    [
      { name: 'abc', tags: ['a', 'b', 'a'] },
      'tags',
      'must be a list of at most 2, each one of a, b, not another list',
    ],
    [{ name: 'abc', colour: 1 }, 'colour', 'is not a field of this message; it has name, size, on, tags'],
  ])('%j: %s %s', (input, field, message) => {
    expect(parseFields(input, FIELDS)).toEqual({ ok: false, problem: { field, message } });
  });

  it('are its own: what it inherits does not count', () => {
    expect(parseFields(Object.create({ name: 'abc' }), FIELDS)).toMatchObject({ problem: { field: 'name' } });
    expect(parseFields(JSON.parse('{"name":"abc","__proto__":{}}'), FIELDS)).toMatchObject({ ok: false });
  });

  it.each([
    [null, 'null'],
    [[], 'a list'],
    ['abc', 'a string of 3 characters'],
    [{}, 'an object'],
    [1, 'a number'],
    [undefined, 'nothing'],
  ])('%j is described as %s', (value, words) => {
    expect(kindOf(value)).toBe(words);
  });
});

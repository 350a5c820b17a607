import { expect, it } from 'vitest';
import { finalWords, firstWords } from '../../core/whole-words.ts';

it.each([
  ['', 5, '', ''],
  ['abcde', 5, 'abcde', 'abcde'],
  ['ab cdef', 6, 'ab …', '… cdef'],
  ['abcd ef', 6, 'abcd …', '… ef'],
  ['ab cd ef', 7, 'ab cd …', '… cd ef'],
  ['ab\ncd\tef', 7, 'ab\ncd\t…', '…\ncd\tef'],
  // Nobody knows whether it is a secret.
  ['abcdef', 5, '…', '…'],
])('of %j, %d characters at most: first %j, final %j', (text, most, first, final) => {
  expect(firstWords(text, most)).toBe(first);
  expect(finalWords(text, most)).toBe(final);
});

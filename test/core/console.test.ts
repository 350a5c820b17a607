import { expect, it } from 'vitest';
import { consoleEnds, consoleLines, consoleText, lastWords } from '../../core/console.ts';

const lines = (text: string): string[] => consoleLines(consoleText(new TextEncoder().encode(text)));

it.each([
  ['plain lines', 'one\r\ntwo\r\n\r\nthree', ['one', 'two', 'three']],
  ['colours and titles', '\u001b[1;31mred\u001b[0m \u001b]0;title\u0007on\u001b(B', ['red on']],
  ['a title that never ends', 'on \u001b]0;title\nKernel panic', ['on', 'Kernel panic']],
  [
    'a boot loader that moves the cursor',
    'GRUB\u001b[2;1HDebian\u001b[01;01H\u001b[2JUEFI',
    ['GRUB', 'Debian', 'UEFI'],
  ],
  ['a progress bar', 'erase\n 1 %\r 2 %\r 99 %\r\ndone', ['erase', '99 %', 'done']],
  ['control characters, and what turns the direction', 'a\u0000b\u0007\u202ec', ['a b c']],
  ['bytes that are no text', 'x\n\ufffd', ['x', '\ufffd']],
  ['nothing', '\r\n \u001b[0m\n', []],
])('%s', (_what, text, expected) => {
  expect(lines(text)).toEqual(expected);
});

it('keeps the last 64 lines, each capped', () => {
  const many = lines(Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n'));
  expect([many.length, many[0], many.at(-1)]).toEqual([64, 'line 36', 'line 99']);
  expect(lines(`${'word '.repeat(100)}`)[0]!.length).toBeLessThanOrEqual(300);
});

it('does not show what may be a token, in a URL or alone', () => {
  const signature = 'aB3'.repeat(14);
  expect(lines(`post http://g/firstboot/abc.def now\nkey ${signature} end`)).toEqual([
    'post http://g/firstboot/… now',
    'key … end',
  ]);
});

it('quotes the last two lines, short and without quotes of their own', () => {
  expect(consoleEnds(lastWords(['a', 'b', 'say "c"']))).toBe(
    ' Its console ends with: "b", then "say \'c\'".',
  );
  expect(consoleEnds(lastWords([]))).toBe('');
  expect(lastWords(['x '.repeat(200)])[0]!.length).toBeLessThanOrEqual(160);
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, escapeMarkdown, prose, shortWords, table } from '../../core/markdown.ts';

/** What a reader sees: entities read back. */
const shown = (markdown: string): string =>
  markdown.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

describe('text from outside', () => {
  it.each([
    ['plain text, 12.5 %', 'plain text, 12.5 %'],
    ['a|b', 'a&#124;b'],
    ['**bold** _i_ `code`', '&#42;&#42;bold&#42;&#42; &#95;i&#95; &#96;code&#96;'],
    ['<img src=x onerror=1>', '&#60;img src=x onerror=1&#62;'],
    ['[x](javascript:1)', '&#91;x&#93;&#40;javascript&#58;1&#41;'],
    ['https://evil.example', 'https&#58;//evil.example'],
    ['me@evil.example', 'me&#64;evil.example'],
    ['&lt;b&gt;', '&#38;lt;b&#38;gt;'],
    ['# title', '&#35; title'],
    ['two\nlines\r\n\ttabs\u0000 and  spaces', 'two lines tabs and spaces'],
    ['  ends  ', 'ends'],
    ['- item', '&#45; item'],
    ['---', '&#45;--'],
    ['1. item, 2. item', '1&#46; item, 2. item'],
    ['WWW.evil.example', 'WWW&#46;evil.example'],
    ['safe \u202egnp.exe', 'safe gnp.exe'],
    ['', ''],
  ])('%j is shown as %j', (given, markdown) => {
    expect(escapeMarkdown(given)).toBe(markdown);
  });

  it('is cut at the cap, with an ellipsis', () => {
    expect(escapeMarkdown('abcdef', 4)).toBe('abc…');
    expect(escapeMarkdown('abcd', 4)).toBe('abcd');
    expect(shown(escapeMarkdown('x'.repeat(5000)))).toHaveLength(300);
  });

  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'\\`*_{}[]<>()#+!|~&$@:\n\r\t\u0000\u0007\u007f\u0085\u2028\u202e -='),
      fc.string({ unit: 'grapheme', maxLength: 2 }),
    ),
    maxLength: 400,
  });

  it('never carries live markup, never takes two lines, is never longer than the cap', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 300 }), (text, cap) => {
        const markdown = escapeMarkdown(text, cap);
        const bare = markdown.replaceAll(/&#\d+;/g, '');
        expect(bare).not.toMatch(/[\\`*_{}[\]<>()#+!|~&$@:]|www\./i);
        // oxlint-disable-next-line no-control-regex
        expect(markdown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
        expect(shown(markdown).length).toBeLessThanOrEqual(cap);
      }),
      { numRuns: 1000 },
    );
  });

  it('begins no list, rule, heading or quotation', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escapeMarkdown(text)).not.toMatch(/^(\s|[-+*>=]|\d+[.)] )/);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('text of ours', () => {
  it.each([
    ['resume from `boot-agent`.', 'resume from `boot-agent`.'],
    ['`on: false`, then <b>', '`on: false`, then &#60;b&#62;'],
    ['`[x](y)` is none', '&#96;&#91;x&#93;&#40;y&#41;&#96; is none'],
  ])('%j keeps its code, and nothing else: %j', (given, markdown) => {
    expect(prose(given)).toBe(markdown);
  });

  it('shows ids as code, and what is none escaped', () => {
    expect(code('op/lab/n-1/a_b')).toBe('`op/lab/n-1/a_b`');
    expect(code('a`b|c')).toBe('a&#96;b&#124;c');
  });

  it('shortens long words, and only those', () => {
    expect(shortWords('a short one')).toBe('a short one');
    expect(shortWords(`is ${'x'.repeat(20)}${'y'.repeat(20)} so`)).toBe(
      `is ${'x'.repeat(18)}…${'y'.repeat(12)} so`,
    );
  });

  it('never carries live markup but code', () => {
    const text = fc.string({ unit: fc.constantFrom(...'`a[]()<>|*:\n "'), maxLength: 60 });
    fc.assert(
      fc.property(text, (given) => {
        const bare = prose(given)
          .replaceAll(/`[^`]*`/g, '')
          .replaceAll(/&#\d+;/g, '');
        expect(bare).not.toMatch(/[`[\]()<>|*:\n]/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a table', () => {
  it('has a head, a rule and its rows, and something between its columns', () => {
    expect(table(['a', 'b'], [['1', '2']])).toBe(
      '| a | \u2003 | b |\n| --- | --- | --- |\n| 1 | \u2003 | 2 |',
    );
  });
});

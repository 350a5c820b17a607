import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../core/duration.ts';

describe('a duration that is read', () => {
  it.each([
    ['90s', 90],
    ['15m', 900],
    ['2h', 7200],
    ['1d', 86_400],
    ['1h30m', 5400],
    ['1d2h3m4s', 93_784],
    ['365d', 31_536_000],
    [1, 1],
    [0.5, 0.5],
    [31_536_000, 31_536_000],
  ])('%s is %d seconds', (given, seconds) => {
    expect(parseDuration(given)).toBe(seconds);
  });

  it.each([
    '',
    '90',
    '1.5h',
    '-1s',
    '1 h',
    'h',
    '0s',
    '366d',
    '9999999999s',
    '1w',
    0,
    -1,
    31_536_001,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
    ['1h'],
    { valueOf: () => 5 },
  ])('%j is none', (given) => {
    expect(parseDuration(given)).toBeUndefined();
  });

  it('is read in time that grows with its length only', () => {
    expect(parseDuration('1s'.repeat(50_000) + 'x')).toBeUndefined();
  });
});

describe('a duration for people', () => {
  it.each([
    [0, '0 s'],
    [-5, '0 s'],
    [0.4, '0 s'],
    [45, '45 s'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [7500, '2 h 5 min'],
    [3601, '1 h'],
    [273_600, '3 d 4 h'],
    [86_460, '1 d'],
  ])('%d s is shown as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it('is never empty and has at most two parts', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e9 }), (seconds) => {
        expect(formatDuration(seconds)).toMatch(/^\d+ (d|h|min|s)( \d+ (h|min|s))?$/);
      }),
    );
  });
});

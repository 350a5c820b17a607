import { expect, it } from 'vitest';
import { boundsFor } from '../../../core/acceptance/bounds.ts';

const LEAST = { attempt: 300, total: 600 };
const each = (count: number, seconds: number): number[] => Array.from({ length: count }, () => seconds);

it.each<[string, number[], number, { attempt: number; total: number }]>([
  ['nothing has what the catalogue gives', [], 64, { attempt: 300, total: 600 }],
  ['few have it, too', each(64, 110), 64, { attempt: 300, total: 600 }],
  // 1,000 × 110 s by 64 at once are 1,718.75 s, and the last begins at most then.
  ['a thousand', each(1000, 110), 64, { attempt: 1829, total: 3658 }],
  ['ten thousand', each(10_000, 110), 64, { attempt: 17_298, total: 34_596 }],
  ['one that takes long', [...each(10, 60), 900], 8, { attempt: 1088, total: 2176 }],
])('%s', (_what, seconds, atOnce, expected) => {
  expect(boundsFor(LEAST, seconds, atOnce)).toEqual(expected);
});

it('never less than the catalogue gives in all', () => {
  expect(boundsFor({ attempt: 10, total: 3600 }, [30], 1)).toEqual({ attempt: 60, total: 3600 });
});

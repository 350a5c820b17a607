import { describe, expect, it } from 'vitest';
import {
  digestProblem,
  gone,
  isGone,
  placeWords,
  promotionProblem,
  readBounds,
  smallestFirst,
  tooLong,
} from '../../core/image-digest.ts';
import type { ImageVersion } from '../../core/images.ts';

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;
const URL = 'https://images.example/ubuntu.raw';
const recorded = { name: 'ubuntu', url: URL, checksum: A, size: 100 };
const version: ImageVersion = {
  version: 3,
  source: URL,
  kept: false,
  checksum: A,
  size: 100,
  format: 'raw',
  at: '2026-01-01T00:00:00Z',
  by: 'ada',
  reason: null,
};

describe('bytes of an image', () => {
  it('that are the recorded ones are no problem', () => {
    expect(digestProblem(recorded, { checksum: A, size: 100 })).toBeUndefined();
    expect(digestProblem({ ...recorded, size: undefined }, { checksum: A, size: 7 })).toBeUndefined();
  });

  it('that are others are told with both digests, and with what gives them back', () => {
    const wrong = digestProblem(recorded, { checksum: B, size: 99 })!;
    expect(wrong.message).toBe(
      `Image ubuntu has ${B} (99 bytes) at https://images.example/ubuntu.raw, and ${A} is in the contract.`,
    );
    expect(wrong.correction).toMatch(
      /Restore image ubuntu at https:.*write their checksum into the contract/,
    );
    const promoted = digestProblem({ ...recorded, version }, { checksum: B, size: 99 })!;
    expect(promoted.message).toContain('is recorded as version 3.');
    expect(promoted.correction).toMatch(/Restore these bytes at .*`rackwright image rollback ubuntu`/);
    const kept = digestProblem(
      { ...recorded, version: { ...version, kept: true } },
      { checksum: B, size: 1 },
    );
    expect(kept?.correction).toMatch(/^`rackwright image promote ubuntu` copies/);
  });

  it('of another length than the contract has correct the contract', () => {
    expect(digestProblem(recorded, { checksum: A, size: 99 })?.correction).toBe(
      'Correct `size` of image ubuntu in the contract: 99.',
    );
    expect(tooLong(recorded).message).toMatch(/more bytes .* than the 100 that are in the contract/);
  });

  it('that are not there are put back', () => {
    expect(gone(recorded, 'It answered 404.')).toEqual({
      message: 'It answered 404.',
      correction: 'Put image ubuntu there, or correct its `url` in the contract.',
    });
    expect(gone({ ...recorded, version }, '404').correction).toContain('rollback');
  });
});

it.each<[object | undefined, boolean]>([
  [{ status: 404 }, true],
  [{ status: 410 }, true],
  [{ status: 401 }, false],
  [{ status: 403 }, false],
  [{ status: 503 }, false],
  [{ reason: 'ENOENT' }, true],
  [{ reason: 'ENOTDIR' }, true],
  [{ reason: 'EISDIR' }, true],
  [{ reason: 'EACCES' }, false],
  [{ reason: 'EIO' }, false],
  [{}, false],
  [undefined, false],
])('%j says for certain that there is no image: %s', (details, expected) => {
  expect(isGone(details as { [key: string]: unknown } | undefined)).toBe(expected);
});

it('a promoted version that the contract does not ask for is told with both', () => {
  const image = { name: 'ubuntu', checksum: A, format: 'raw' };
  expect(promotionProblem(image, version)).toBeUndefined();
  const other = promotionProblem({ ...image, checksum: B }, version)!;
  expect(other.message).toBe(`The contract has ${B} for image ubuntu; deployments take version 3, ${A}.`);
  expect(other.correction).toContain('`rackwright image promote ubuntu`');
  expect(promotionProblem({ ...image, format: 'qcow2' }, version)?.message).toMatch(
    /has qcow2 .*version 3, raw/,
  );
});

it.each([
  ['https://images.example/a.raw?X-Signature=secret', 'https://images.example/a.raw'],
  ['file:///srv/a%20b.raw', '/srv/a b.raw'],
  ['/srv/a.raw', '/srv/a.raw'],
])('%s is shown as %s', (url, expected) => {
  expect(placeWords(url)).toBe(expected);
});

it.each<[number | undefined, number | undefined, number, number | undefined]>([
  [100_000_000_000, 100_000_000_000, 100_000_000_000, 10_001_000],
  [50_000_000, undefined, 50_000_000, 6000],
  [undefined, 50_000_000, 1_000_000_000_000, 6000],
  [1, 50_000_000, 1, 6000],
  [undefined, undefined, 1_000_000_000_000, undefined],
])('of %s bytes recorded and %s announced, %s are read, in %s ms', (size, announced, bytes, ms) => {
  expect(readBounds(size, announced, 1000)).toEqual({ bytes, ms });
});

it('the smallest goes first, the unknown last, and equals as they stand', () => {
  const sizes = [
    ['a', undefined],
    ['b', 9],
    ['c', 1],
    ['d', 9],
    ['e', undefined],
  ] as const;
  const sorted = smallestFirst(sizes.map(([name, size]) => ({ name, size })));
  expect(sorted.map(({ name }) => name).join('')).toBe('cbdae');
});

import { describe, expect, it } from 'vitest';
import {
  asPromoted,
  currentVersion,
  newImageRecord,
  promoted,
  recorded,
  rollbackTarget,
  rolledBack,
  type ImageRecord,
  type ImageVersion,
} from '../../core/images.ts';

const asked = { at: '2026-01-01T00:00:00Z', by: 'ada', reason: 'kernel' };
const verified = (digit: string): Omit<ImageVersion, 'version'> => ({
  source: `/srv/${digit}.raw`,
  kept: true,
  checksum: `sha256:${digit.repeat(64)}`,
  size: 10,
  format: 'raw',
  ...asked,
});
const promote = (record: ImageRecord, digit: string): ImageRecord => {
  const known = recorded(record, verified(digit));
  return promoted(known.record, known.version, asked);
};
const none = newImageRecord('berlin', 'ubuntu');
const of = (...digits: string[]): ImageRecord => digits.reduce(promote, none);
const current = (record: ImageRecord): number | undefined => currentVersion(record)?.version;

describe('a promotion', () => {
  it('is recorded before it is current', () => {
    const known = recorded(of('1'), verified('2'));
    expect(known.record.versions.map(({ version }) => version)).toEqual([1, 2]);
    expect(known.version).toBe(2);
    expect(current(known.record)).toBe(1);
    expect(current(promoted(known.record, 2, asked))).toBe(2);
  });

  it('that was cut off in between is found again, not made twice', () => {
    const cut = recorded(of('1'), verified('2')).record;
    const again = promote(cut, '2');
    expect(again.versions).toHaveLength(2);
    expect(current(again)).toBe(2);
  });

  it('of what is current changes nothing', () => {
    const once = of('1');
    expect(promote(once, '1')).toBe(once);
  });

  it('of bytes that were current long ago is a version of its own', () => {
    const back = of('1', '2', '1');
    expect(back.versions.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(rollbackTarget(back)?.version).toBe(2);
  });

  it('of the same bytes in another place, or for other nodes, is another', () => {
    expect(recorded(of('1'), { ...verified('1'), kept: false }).version).toBe(2);
    expect(recorded(of('1'), { ...verified('1'), source: '/elsewhere' }).version).toBe(1);
    expect(recorded(of('1'), { ...verified('1'), bootMode: 'bios' }).version).toBe(2);
  });

  it('counts the writes of the record, and says who asked for what', () => {
    const record = of('1', '2');
    expect(record.generation).toBe(4);
    expect(record.changes).toEqual([
      { action: 'promote', from: null, to: 1, ...asked },
      { action: 'promote', from: 1, to: 2, ...asked },
    ]);
  });
});

describe('a rollback', () => {
  const back = (record: ImageRecord, to?: number): ImageRecord =>
    rolledBack(record, rollbackTarget(record, to)!.version, asked);

  it.each<[what: string, record: ImageRecord, to: number | undefined, expected: number | undefined]>([
    ['none before the first', of('1'), undefined, undefined],
    ['none of an image that was never promoted', none, undefined, undefined],
    ['the one before', of('1', '2', '3'), undefined, 2],
    ['the one before, again', back(of('1', '2', '3')), undefined, 1],
    ['never forth again by itself', back(of('1', '2')), undefined, undefined],
    ['one that is named', of('1', '2', '3'), 1, 1],
    ['what an earlier one left, by its number', back(of('1', '2')), 2, 2],
    ['what was current before, not what was promoted before', promote(back(of('1', '2')), '3'), undefined, 1],
    ['no number that was never given', of('1', '2'), 3, undefined],
  ])('goes to %s', (_what, record, to, expected) => {
    expect(rollbackTarget(record, to)?.version).toBe(expected);
  });

  it('makes the very version current, and keeps them all', () => {
    const record = back(of('1', '2'));
    expect(currentVersion(record)).toEqual({ version: 1, ...verified('1') });
    expect(record.versions).toHaveLength(2);
    expect(record.changes.at(-1)).toEqual({ action: 'rollback', from: 2, to: 1, ...asked });
  });
});

it('an operation takes everything that decides about bytes from the version', () => {
  const version = { version: 1, ...verified('1'), architecture: 'x86_64' as const };
  const contract = { name: 'ubuntu', description: 'with drivers', bootMode: 'bios' };
  expect(asPromoted(contract, version, '/kept/1')).toEqual({
    name: 'ubuntu',
    description: 'with drivers',
    url: '/kept/1',
    checksum: `sha256:${'1'.repeat(64)}`,
    size: 10,
    format: 'raw',
    architecture: 'x86_64',
  });
});

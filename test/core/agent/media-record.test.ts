import { describe, expect, it } from 'vitest';
import {
  mediaProblems,
  mediaRecordText,
  parseMediaRecord,
  type MediaRecord,
  type MediaSeen,
} from '../../../core/agent/media-record.ts';

const sum = (letter: string): string => `sha256:${letter.repeat(64)}`;
const RECORD: MediaRecord = {
  checksum: sum('a'),
  size: 4096,
  architecture: 'x86_64',
  append: '',
  files: { 'boot/vmlinuz': sum('1'), 'boot/efi.img': sum('2') },
};
const seen = (over: Partial<MediaSeen> = {}): MediaSeen => ({
  path: '/srv/base.iso',
  architecture: 'x86_64',
  checksum: RECORD.checksum,
  files: RECORD.files,
  contract: undefined,
  record: RECORD,
  ...over,
});

describe('the record of a build', () => {
  it('is read as it was written', () => {
    expect(parseMediaRecord(mediaRecordText(RECORD))).toEqual(RECORD);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...RECORD, checksum: 'a' }),
    JSON.stringify({ ...RECORD, architecture: 'ppc64' }),
    JSON.stringify({ ...RECORD, files: { 'boot/vmlinuz': 7 } }),
    JSON.stringify({ ...RECORD, files: null }),
  ])('is not %s', (text) => {
    expect(parseMediaRecord(text)).toBeUndefined();
  });
});

const OTHER = { checksum: sum('b'), files: { 'boot/vmlinuz': sum('1'), 'boot/efi.img': sum('3') } };

it.each<[string, Partial<MediaSeen>, RegExp[]]>([
  ['what its record says', {}, []],
  ['what contract and record say', { contract: sum('a') }, []],
  ['what the contract says, and has no record', { contract: sum('a'), record: undefined }, []],
  ['recorded nowhere', { record: undefined }, [/^Nothing is recorded/]],
  [
    'another than its record says',
    OTHER,
    [/has sha256:b+, and the record of its build sha256:a+\. Others than were recorded: \/boot\/efi\.img\.$/],
  ],
  [
    'another than the contract says',
    { ...OTHER, contract: sum('a') },
    [/has sha256:b+, and the contract sha256:a+\./],
  ],
  [
    'another than the contract says, without a record',
    { ...OTHER, contract: sum('a'), record: undefined },
    [/and the contract sha256:a+\.$/],
  ],
  ['changed beside what boots', { checksum: sum('b') }, [/The parts that were recorded are as they were\.$/]],
  [
    'what the contract says, beside the record of another',
    { ...OTHER, contract: sum('b') },
    [/the record of its build/],
  ],
  ['built for another architecture', { architecture: 'aarch64' }, [/built for x86_64, .* for aarch64/]],
  ['for whatever architecture', { architecture: undefined }, []],
  ['with a record that is none', { record: 'damaged', contract: sum('a') }, [/base\.iso\.json is no record/]],
])('an ISO that is %s', (_what, over, expected) => {
  const problems = mediaProblems(seen(over));
  expect(problems).toHaveLength(expected.length);
  for (const [i, pattern] of expected.entries()) expect(problems[i]!.message).toMatch(pattern);
});

it('an ISO that nothing is recorded of is told with the checksum to write', () => {
  expect(mediaProblems(seen({ record: undefined }))[0]!.correction).toContain(`checksum: ${sum('a')}`);
});

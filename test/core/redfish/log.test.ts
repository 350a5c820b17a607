import { describe, expect, it } from 'vitest';
import { countsOf, isOldestFirst, newsOf, readLogEntry, type LogEntry } from '../../../core/redfish/log.ts';

const entry = (
  id: number,
  created: string | null = `2030-01-01T00:00:${String(id).padStart(2, '0')}Z`,
): LogEntry => ({
  id: String(id),
  created,
  severity: 'OK',
  message: `m${id}`,
});
const ids = (entries: readonly LogEntry[]): string => entries.map(({ id }) => id).join(' ');

describe('an entry', () => {
  it.each<[unknown, LogEntry | null]>([
    [
      { Id: '7', Created: '2030-01-01T00:00:00Z', Severity: 'Critical', Message: 'Fan 2 stopped' },
      { id: '7', created: '2030-01-01T00:00:00Z', severity: 'Critical', message: 'Fan 2 stopped' },
    ],
    [
      { Id: 7, MessageSeverity: 'Informational', MessageId: 'Event.1.0.FanSlow' },
      { id: '7', created: null, severity: 'OK', message: 'Event.1.0.FanSlow' },
    ],
    [
      { '@odata.id': '/x/Entries/9', Severity: 'WARNING', EventTimestamp: '2030' },
      { id: '9', created: '2030', severity: 'Warning', message: 'no message' },
    ],
    [
      { Id: '1', Message: `a${String.fromCharCode(27)}[2J\nb` },
      { id: '1', created: null, severity: null, message: 'a [2J b' },
    ],
    [{ '@odata.id': '/x/Entries/9' }, null],
    ['text', null],
  ])('%j', (body, expected) => {
    expect(readLogEntry('/x/Entries/9', body)).toEqual(expected);
  });

  it('is cut between words where its message is long', () => {
    const { message } = readLogEntry(null, { Id: '1', Message: 'fan '.repeat(1_000) })!;
    expect(message).toBe(`${'fan '.repeat(74)}…`);
  });
});

describe('which end of a log is the new one', () => {
  it.each<[string, LogEntry[], boolean]>([
    ['by time', [entry(1), entry(2), entry(3)], true],
    ['by time, backwards', [entry(3), entry(2), entry(1)], false],
    ['by ids where no time differs', [entry(3, null), entry(2, null)], false],
    [
      'by most, where the clock was set back in between',
      [entry(1), entry(2), entry(3, '1970-01-01T00:00:03Z'), entry(4, '1970-01-01T00:00:04Z')],
      true,
    ],
    ['of one entry: whichever', [entry(1)], true],
  ])('%s', (_name, entries, oldestFirst) => {
    expect(isOldestFirst(entries)).toBe(oldestFirst);
  });
});

describe('what is new in a log', () => {
  const seen = newsOf([entry(3), entry(2), entry(1)], undefined);

  it('is all of it at the first look, and nothing at the second', () => {
    expect([seen.kind, ids(seen.entries)]).toEqual(['first', '3 2 1']);
    expect(newsOf([entry(3), entry(2), entry(1)], seen.position)).toEqual({
      ...seen,
      kind: 'since',
      entries: [],
    });
  });

  it.each<[string, LogEntry[], string, string]>([
    ['what came after', [entry(5), entry(4), entry(3)], 'since', '5 4'],
    [
      'also with a clock that went back',
      [entry(4, '1970-01-01T00:00:00Z'), entry(3), entry(2)],
      'since',
      '4',
    ],
    ['also where the newest one of then was deleted', [entry(4), entry(2), entry(1)], 'since', '4'],
    ['the same time told in another zone', [entry(4), entry(3, '2030-01-01T01:00:03+01:00')], 'since', '4'],
    ['after it was cleared: all, and that it was', [entry(1, '2030-02-02T00:00:00Z')], 'lost', '1'],
    ['of a log that has run over: what was read', [entry(30), entry(29)], 'lost', '30 29'],
    ['of a log that is empty now: nothing', [], 'since', ''],
  ])('%s', (_name, entries, kind, news) => {
    const found = newsOf(entries, seen.position);
    expect([found.kind, ids(found.entries)]).toEqual([kind, news]);
  });

  it('of a log that was empty is all that came', () => {
    const empty = newsOf([], undefined);
    expect(newsOf([entry(1)], empty.position)).toMatchObject({ kind: 'since', entries: [{ id: '1' }] });
  });

  it('an emptied log keeps its place, so that what comes later is not taken for lost twice', () => {
    const emptied = newsOf([], seen.position);
    expect(emptied.position).toEqual(seen.position);
    expect(newsOf([entry(1, '2031-01-01T00:00:00Z')], emptied.position).kind).toBe('lost');
  });

  it('is counted by severity', () => {
    const bad = { ...entry(1), severity: 'Critical' as const };
    expect(countsOf([bad, entry(2), { ...entry(3), severity: null }])).toEqual({
      OK: 2,
      Warning: 0,
      Critical: 1,
    });
  });
});

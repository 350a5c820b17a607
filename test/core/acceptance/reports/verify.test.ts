import { describe, expect, it } from 'vitest';
import { statementOf, subjectOf } from '../../../../core/acceptance/reports/statement.ts';
import {
  compareFiles,
  compareReport,
  placeOf,
  PROBLEMS,
  reportSubject,
} from '../../../../core/acceptance/reports/verify.ts';
import { PASSING } from './samples.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const one = subjectOf('lab/_acceptance/run-1/0001-a.c1', A);
const report = subjectOf('lab/_acceptance/run-1/0002-acceptance.report', B);

describe('files and what was signed', () => {
  it.each<[string, [string, string][], object[]]>([
    [
      'the same',
      [
        [one.name, A],
        [report.name, B],
      ],
      [],
    ],
    [
      'changed',
      [
        [one.name, B],
        [report.name, B],
      ],
      [{ kind: 'file-altered', file: one.name }],
    ],
    ['gone', [[report.name, B]], [{ kind: 'file-missing', file: one.name }]],
    [
      'more',
      [
        [one.name, A],
        [report.name, B],
        ['x', A],
      ],
      [{ kind: 'file-added', file: 'x' }],
    ],
  ])('%s', (_what, there, expected) => {
    const found = compareFiles([one, report], new Map(there));
    expect(found).toMatchObject(expected);
    expect(found).toHaveLength(expected.length);
    for (const { kind, file, message } of found) {
      expect(PROBLEMS).toHaveProperty(kind);
      expect(message).toContain(file);
    }
  });
});

describe('a report, its statement and its evidence', () => {
  const gates = [{ ...PASSING.gates[0]!, checks: PASSING.gates[0]!.checks.slice(0, 1) }];
  const small = { ...PASSING, gates };
  const [ref] = gates[0]!.checks[0]!.evidence!;
  it.each<[string, string, string | null | undefined, RegExp | undefined]>([
    ['agree', 'pass', ref!.sha256, undefined],
    ['say another verdict', 'fail', ref!.sha256, /^The statement says FAILED/],
    ['have another hash of a piece', 'pass', B, /with another hash than it has/],
    ['have a piece that is not its own hash', 'pass', null, /was altered before it was signed/],
    ['point to what was not signed', 'pass', undefined, /the statement is not about it/],
  ])('%s', (_what, outcome, hash, message) => {
    const statement = statementOf({ ...small, outcome: outcome as 'pass' }, [report]);
    const found = compareReport(statement, small, new Map(hash === undefined ? [] : [[ref!.id, hash]]));
    expect(found.map((each) => each.message)).toEqual(
      message ? [expect.stringMatching(message) as string] : [],
    );
  });
});

it('names of pieces lead nowhere but to pieces in the store', () => {
  expect(placeOf(one.name)).toEqual({
    site: 'lab',
    subject: '_acceptance',
    requestId: 'run-1',
    file: '0001-a.c1.json',
  });
  expect(placeOf('lab/n1/deploy-1/0001-a.json')).toMatchObject({ subject: 'n1', requestId: 'deploy-1' });
  for (const name of [
    'lab/_acceptance/../0001-a.json',
    'lab/../run-1/0001-a.json',
    'lab/_other/run-1/0001-a.json',
    '/etc/_acceptance/x/y.json',
    'lab/n1/x/y/z.json',
    'lab/n1/x/y.pem',
    'x',
  ])
    expect(placeOf(name)).toBeUndefined();
});

it('a statement is about one report of a run', () => {
  expect(reportSubject(statementOf(PASSING, [one, report]))).toEqual({
    name: report.name,
    site: 'lab',
    runId: 'run-1',
  });
  expect(reportSubject(statementOf(PASSING, [one]))).toBeUndefined();
  const other = subjectOf('lab/_acceptance/run-2/0002-acceptance.report', B);
  expect(reportSubject(statementOf(PASSING, [report, other]))).toBeUndefined();
  const node = subjectOf('lab/n1/run-2/0002-acceptance.report', B);
  expect(reportSubject(statementOf(PASSING, [node]))).toBeUndefined();
});

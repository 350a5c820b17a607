import { describe, expect, it } from 'vitest';
import { AcceptanceReport, acceptanceReportSchema } from '../../contracts/acceptance-report.ts';
import { FAILING, HELD, HOSTILE, KEPT, PASSING, UNOPENED } from '../core/acceptance/reports/samples.ts';

describe('the contract of a report', () => {
  it.each(Object.entries({ PASSING, FAILING, HELD, HOSTILE, KEPT, UNOPENED }))(
    'takes %s as it is',
    (_name, report) => {
      expect(AcceptanceReport.parse(report)).toEqual(report);
    },
  );

  it.each<[string, object]>([
    ['an outcome that there is none of', { ...PASSING, outcome: 'green' }],
    ['a gate that there is none of', { ...PASSING, stoppedAt: 8 }],
    ['a field that it does not know', { ...PASSING, colour: 'green' }],
    ['a signature without a key', { ...PASSING, signature: { signed: true } }],
    ['no gates', { ...PASSING, gates: undefined }],
  ])('refuses %s', (_what, report) => {
    expect(AcceptanceReport.safeParse(report).success).toBe(false);
  });

  it('as JSON Schema leaves room for what is added later', () => {
    const schema = acceptanceReportSchema();
    expect(schema).toMatchObject({
      title: 'Rackwright acceptance report',
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['site', 'runId', 'startedAt', 'held', 'gates', 'notes', 'evidence'],
    });
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  });
});

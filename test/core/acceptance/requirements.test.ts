import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../core/acceptance/checks.ts';
import type { AcceptanceReport } from '../../../core/acceptance/report.ts';
import { REQUIREMENTS } from '../../../core/acceptance/requirements.ts';
import { reportHtml } from '../../../core/acceptance/reports/html.ts';
import { reportJunit } from '../../../core/acceptance/reports/junit.ts';
import { FAILING, PASSING } from './reports/samples.ts';

/** The report, with a requirement at each of its checks. */
const carrying = (report: AcceptanceReport): AcceptanceReport => ({
  ...report,
  gates: report.gates.map((gate) => ({
    ...gate,
    checks: gate.checks.map((check) => ({ ...check, requirements: ['CNP01', 'SEC21'] })),
  })),
});

describe('requirements', () => {
  it('are each carried by a check', () => {
    const carried = new Set(CHECKS.flatMap(({ requirements }) => requirements));
    expect([...carried].toSorted()).toEqual(Object.keys(REQUIREMENTS).toSorted());
  });

  it.each([
    ['passed', PASSING],
    ['failed', FAILING],
  ])('stand in every report of a run that %s', (_how, report) => {
    const page = reportHtml(carrying(report), { madeAt: '2026-11-30T03:05:00.000Z' });
    expect(page).toContain('CNP01, SEC21');
    const cases = reportJunit(carrying(report));
    for (const id of ['CNP01', 'SEC21']) expect(cases).toContain(`requirement ${id}`);
    expect(reportHtml(report, { madeAt: '2026-11-30T03:05:00.000Z' })).not.toContain('CNP01');
  });
});

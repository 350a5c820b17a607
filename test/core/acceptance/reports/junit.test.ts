import { describe, expect, it } from 'vitest';
import { reportJunit } from '../../../../core/acceptance/reports/junit.ts';
import type { AcceptanceReport } from '../../../../core/acceptance/report.ts';
import { FAILING, HELD, HOSTILE, KEPT, LEFT_OUT, PASSING, UNOPENED } from './samples.ts';

/** The attributes of each element of a name, in order. */
const elements = (xml: string, name: string): { [attribute: string]: string }[] =>
  [...xml.matchAll(new RegExp(`<${name}\\b([^>]*?)/?>`, 'g'))].map(([, attributes = '']) =>
    Object.fromEntries([...attributes.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
  );
const counts = (report: AcceptanceReport) => {
  const xml = reportJunit(report);
  const [{ tests, failures, errors } = {}] = elements(xml, 'testsuites');
  return { tests, failures, errors, skipped: String(elements(xml, 'skipped').length) };
};

describe('a run as JUnit XML', () => {
  it.each<[string, AcceptanceReport, object]>([
    ['all seven gates', PASSING, { tests: '22', failures: '0', errors: '0', skipped: '1' }],
    [
      'a check that fails, one that cannot be told',
      FAILING,
      { tests: '23', failures: '2', errors: '1', skipped: '16' },
    ],
    ['a held run, which is no success', HELD, { tests: '23', failures: '1', errors: '2', skipped: '16' }],
    [
      'a run that ended before its first check',
      UNOPENED,
      { tests: '1', failures: '1', errors: '0', skipped: '0' },
    ],
    [
      'an aborted one',
      { ...UNOPENED, outcome: 'aborted' },
      { tests: '1', failures: '0', errors: '1', skipped: '0' },
    ],
  ])('counts %s', (_what, report, expected) => {
    expect(counts(report)).toEqual(expected);
  });

  it('says of a gate that was left out that it was, and why', () => {
    const why = 'It is outside of the maintenance windows; the next opens Tue 2026-12-01 01:00.';
    const xml = reportJunit(LEFT_OUT);
    expect(elements(xml, 'property')).toContainEqual({ name: 'leftOut', value: why });
    const reasons = elements(xml, 'skipped').map(({ message }) => message);
    expect(reasons.slice(-3)).toEqual([why, why, why]);
  });

  it('has a suite for the verdict and one for each gate, a case for each check', () => {
    const xml = reportJunit(FAILING);
    expect(elements(xml, 'testsuite').map(({ name }) => name)).toEqual([
      'run',
      'host-baseline',
      'kubernetes-and-storage',
      'base-openstack',
      'ironic',
      'immutable-images',
      'reachability',
      'physical-acceptance',
    ]);
    expect(elements(xml, 'testcase')[5]).toEqual({
      classname: 'lab.kubernetes-and-storage',
      name: 'system-pods',
      time: '6.000',
    });
    expect(elements(xml, 'testsuite')[2]).toMatchObject({ timestamp: '2026-11-30T03:00:20', failures: '1' });
  });

  it('says of a failure what was seen, what corrects it, and whose it is', () => {
    const xml = reportJunit(FAILING);
    expect(elements(xml, 'failure')[1]).toMatchObject({
      type: 'CHECK_FAILED',
      message: expect.stringMatching(/^kube-system\/coredns-7d9f: CrashLoopBackOff/) as string,
    });
    expect(xml).toContain('  correction: Raise the memory limit');
    expect(xml).toContain('  CHECK_FAILED, fault domain kubernetes');
  });

  it('has nothing that a strict reader does not know: the schema of Jenkins is one', () => {
    const xml = reportJunit(KEPT) + reportJunit(FAILING);
    const known: { [element: string]: string[] } = {
      testsuites: ['name', 'tests', 'failures', 'errors', 'time'],
      testsuite: ['name', 'tests', 'failures', 'errors', 'skipped', 'time', 'timestamp'],
      testcase: ['classname', 'name', 'time'],
      failure: ['message', 'type'],
      error: ['message', 'type'],
      skipped: ['message'],
      property: ['name', 'value'],
      properties: [],
      'system-out': [],
    };
    for (const [, name = ''] of xml.matchAll(/<([a-z-]+)[ >/]/g)) expect(known).toHaveProperty(name);
    for (const [name, attributes] of Object.entries(known))
      for (const each of elements(xml, name))
        expect(attributes).toEqual(expect.arrayContaining(Object.keys(each)));
    expect(xml).not.toMatch(/<testcase[^>]*>\s*<properties>/);
  });

  it('says where a check was made from, and its evidence', () => {
    expect(reportJunit(FAILING)).toContain(
      `<system-out>No system pod is pending or restarts again and again
made from kubernetes API
1 failed, 2 passed
evidence lab/_acceptance/run-1/0007-system-pods.coredns sha256:${'a'.repeat(64)}</system-out>`,
    );
  });

  it('says why a check was not run', () => {
    expect(elements(reportJunit(FAILING), 'skipped').map(({ message }) => message)).toEqual([
      'the contract has no Ceph',
      ...Array<string>(15).fill('not run: gate 2 is not green'),
    ]);
  });

  it('is XML, whatever a device has said', () => {
    const xml = reportJunit(HOSTILE);
    expect(xml).not.toContain('<script>');
    expect(xml).not.toContain(']]>');
    // oxlint-disable-next-line no-control-regex
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e]/);
  });

  it('takes a check of a gate that is over and left no result for an error', () => {
    const gates = FAILING.gates.map((gate) =>
      gate.gate === 1 ? { ...gate, checks: gate.checks.map(({ outcome: _none, ...each }) => each) } : gate,
    );
    expect(counts({ ...FAILING, gates })).toMatchObject({ errors: '4' });
  });
});

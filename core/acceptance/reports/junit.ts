import { gateOf } from '../gates.ts';
import type { AcceptanceReport, CheckReport, GateReport } from '../report.ts';
import { escapeMarkup as esc, secondsBetween } from './markup.ts';
import { standingOf, verdictOf, verdictSentence } from './words.ts';

/**
 * A run as JUnit XML, as Jenkins and GitLab read it: a suite for each gate, a case for each check. A suite of its own
 * has the verdict: a run that ended before its first check has nothing else that could be red.
 */
export function reportJunit(report: AcceptanceReport): string {
  const suites = [verdictSuite(report), ...report.gates.map((gate) => gateSuite(report, gate))];
  const total = (of: Exclude<keyof Counts, 'skipped'>): number =>
    suites.reduce((sum, { counts }) => sum + counts[of], 0);
  const took = secondsBetween(report.startedAt, report.endedAt);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${esc(`acceptance of ${report.site}`)}" tests="${total('tests')}" failures="${total('failures')}" errors="${total('errors')}" time="${seconds(took)}">`,
    ...suites.map(({ xml }) => xml),
    '</testsuites>',
    '',
  ].join('\n');
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

/** What is in a case beside its properties. */
interface Case {
  readonly name: string;
  readonly seconds: number | undefined;
  readonly result: 'pass' | 'fail' | 'error' | 'skipped';
  readonly message: string;
  readonly type: string;
  readonly text: string;
  /** Where it is made from, what it answers, its evidence: for people, whatever reads the file. */
  readonly about: readonly string[];
}

function verdictSuite(report: AcceptanceReport): { xml: string; counts: Counts } {
  const { failure, site, runId, contractHash, startedAt, endedAt, signature } = report;
  const verdict = verdictOf(report);
  const properties: [string, string][] = [
    ['site', site],
    ['run', runId],
    ['verdict', verdict],
    ...(contractHash === undefined ? [] : [['contract', contractHash] as [string, string]]),
    ...(failure ? ([['faultDomain', failure.faultDomain]] as [string, string][]) : []),
    ...(signature
      ? ([['signature', signature.signed ? `key ${signature.keyId}` : 'unsigned']] as [string, string][])
      : []),
  ];
  const only: Case = {
    name: 'verdict',
    seconds: secondsBetween(startedAt, endedAt),
    result: verdict === 'pass' || verdict === 'fail' ? verdict : 'error',
    message: `${verdict}: ${verdictSentence(report)}`,
    type: failure?.code ?? verdict,
    text: failure ? `${failure.message}\n${failure.correction}` : '',
    about: [],
  };
  return suite(report, 'run', startedAt, [only], properties);
}

function gateSuite(report: AcceptanceReport, gate: GateReport): { xml: string; counts: Counts } {
  const properties: [string, string][] = [
    ['gate', String(gate.gate)],
    ['title', gate.title],
    ['owner', gate.owner],
    ['outcome', standingOf(gate)],
    ...(gate.leftOut === undefined ? [] : ([['leftOut', gate.leftOut]] as [string, string][])),
    ...(gate.kept ? ([['evidenceOf', `${gate.kept.runId} ${gate.kept.endedAt}`]] as [string, string][]) : []),
  ];
  const cases = gate.checks.map((check) => caseOf(report, check));
  return suite(report, gateOf(gate.gate).id, gate.startedAt ?? report.startedAt, cases, properties);
}

function caseOf(report: AcceptanceReport, check: CheckReport): Case {
  const { id, title, from, findings = [], summary = '', requirements = [], startedAt, endedAt } = check;
  const standing = standingOf(check);
  const first = findings[0];
  return {
    name: id,
    seconds: secondsBetween(startedAt, endedAt),
    result: standing === 'pass' || standing === 'fail' || standing === 'error' ? standing : 'skipped',
    message: first
      ? `${first.target ? `${first.target}: ` : ''}${first.failure.message}`
      : summary || notRun(report),
    type: first?.failure.code ?? '',
    text: findings
      .map(({ target, failure: { message, correction, faultDomain, code } }) =>
        [
          `${target ? `${target}: ` : ''}${message}`,
          `  correction: ${correction}`,
          `  ${code}, fault domain ${faultDomain}`,
        ].join('\n'),
      )
      .join('\n'),
    about: [
      title,
      `made from ${from}`,
      ...(summary === '' ? [] : [summary]),
      ...requirements.map((requirement) => `requirement ${requirement}`),
      ...(check.evidence ?? []).map((piece) => `evidence ${piece.id} sha256:${piece.sha256}`),
    ],
  };
}

const notRun = ({ stoppedAt, outcome }: AcceptanceReport): string =>
  stoppedAt !== undefined
    ? `not run: gate ${stoppedAt} is not green`
    : outcome === undefined
      ? 'not run yet'
      : 'not run: the run ended before';

function suite(
  report: AcceptanceReport,
  name: string,
  startedAt: string,
  cases: readonly Case[],
  properties: readonly (readonly [string, string])[],
): { xml: string; counts: Counts } {
  const count = (result: Case['result']): number => cases.filter((each) => each.result === result).length;
  const counts: Counts = {
    tests: cases.length,
    failures: count('fail'),
    errors: count('error'),
    skipped: count('skipped'),
  };
  const time = cases.reduce((sum, each) => sum + (each.seconds ?? 0), 0);
  const xml = [
    `  <testsuite name="${esc(name)}" tests="${counts.tests}" failures="${counts.failures}" errors="${counts.errors}" skipped="${counts.skipped}" time="${seconds(time)}" timestamp="${esc(startedAt.slice(0, 19))}">`,
    ...propertyLines(properties, '    '),
    ...cases.map((each) => caseXml(`${report.site}.${name}`, each)),
    '  </testsuite>',
  ].join('\n');
  return { xml, counts };
}

const ELEMENTS = { fail: 'failure', error: 'error', skipped: 'skipped' } as const;

function caseXml(className: string, each: Case): string {
  const { result, message, type, text } = each;
  const said = `message="${esc(message, 1000)}"`;
  return [
    `    <testcase classname="${esc(className)}" name="${esc(each.name)}" time="${seconds(each.seconds)}">`,
    ...(result === 'pass'
      ? []
      : result === 'skipped'
        ? [`      <skipped ${said}/>`]
        : [
            `      <${ELEMENTS[result]} ${said} type="${esc(type)}">${esc(text, 20_000)}</${ELEMENTS[result]}>`,
          ]),
    ...(each.about.length === 0
      ? []
      : [`      <system-out>${esc(each.about.join('\n'), 20_000)}</system-out>`]),
    '    </testcase>',
  ].join('\n');
}

const propertyLines = (properties: readonly (readonly [string, string])[], indent: string): string[] =>
  properties.length === 0
    ? []
    : [
        `${indent}<properties>`,
        ...properties.map(
          ([name, value]) => `${indent}  <property name="${esc(name)}" value="${esc(value)}"/>`,
        ),
        `${indent}</properties>`,
      ];

const seconds = (value: number | undefined): string => (value ?? 0).toFixed(3);

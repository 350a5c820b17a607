import { failureDetails } from '../details.ts';
import { BREAK, code, escapeMarkdown as esc, shortWords, table } from '../markdown.ts';
import { gateOf } from './gates.ts';
import type { AcceptanceReport, CheckReport, GateReport } from './report.ts';

const MARK = {
  pending: '·\u00a0pending',
  running: '▶\u00a0running',
  'held-back': '–\u00a0not\u00a0run',
  pass: '✓\u00a0pass',
  fail: '✗\u00a0fail',
  error: '!\u00a0error',
  skipped: '–\u00a0skipped',
  done: '·\u00a0done',
} as const;

const markOf = ({ outcome, state }: Pick<CheckReport, 'outcome' | 'state'>): string => MARK[outcome ?? state];

/** The details of an `acceptance` run for the Web UI: verdict, what stopped it, the gates, the checks of one. */
export function acceptanceDetails(report: AcceptanceReport): string {
  const verdict = report.outcome ?? (report.held ? 'held' : 'running');
  const parts = [
    `### Acceptance of ${report.site}: ${verdict}`,
    '',
    `Run ${code(report.runId)} · began ${at(report.startedAt)} UTC`,
  ];
  if (report.stoppedAt !== undefined) {
    const { title, owner } = gateOf(report.stoppedAt);
    parts.push('', `Stopped at **gate ${report.stoppedAt}, ${title}** · owner **${owner}**`);
  }
  if (report.failure) parts.push('', failureDetails(report.failure));
  if (report.held) {
    parts.push(
      '',
      'When it is corrected, send `resume` with `{}`; to give up, `abort` with `{"reason": "…"}`.',
    );
  }
  if (report.gates.length > 0) {
    parts.push('', table(['outcome', 'at (UTC)', 'gate'], report.gates.map(gateRow)));
    const shown = report.gates.find(({ gate }) => gate === report.stoppedAt) ?? current(report.gates);
    if (shown) parts.push('', `#### Checks of gate ${shown.gate}`, '', checkTable(shown));
  }
  const notes = report.notes.slice(-5).map((note) => `- ${esc(note)}`);
  if (notes.length > 0) parts.push('', ...notes);
  return parts.join('\n');
}

const current = (gates: readonly GateReport[]): GateReport | undefined =>
  gates.find(({ state }) => state === 'running') ?? gates.findLast(({ state }) => state === 'done');

const gateRow = (gate: GateReport): string[] => [
  markOf(gate),
  (gate.endedAt ?? gate.startedAt ?? '').slice(11, 19),
  [
    `**${gate.gate}\u00a0${esc(gate.title)}**`,
    ...(gate.leftOut === undefined ? [] : [esc(gate.leftOut, 200)]),
    ...(gate.kept ? [`evidence of ${at(gate.kept.endedAt)} UTC, run ${code(gate.kept.runId)}`] : []),
  ].join(BREAK),
];

const checkTable = ({ checks }: GateReport): string =>
  table(
    ['outcome', 'check', 'from'],
    checks.map((check) => [
      markOf(check),
      [`**${esc(check.title)}**`, ...whatOf(check)].join(BREAK),
      esc(check.from, 60),
    ]),
  );

function whatOf({ findings, summary }: CheckReport): string[] {
  const first = findings?.[0];
  const said = first?.failure.message;
  const what =
    said === undefined ? summary : said.includes(first!.target) ? said : `${first!.target}: ${said}`;
  return what ? [esc(shortWords(what), 200)] : [];
}

const at = (time: string): string => time.replace('T', ' ').replace(/(\.\d+)?Z$/, '');

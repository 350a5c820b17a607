import { formatDuration } from '../../core/duration.ts';
import type {
  AcceptanceReport,
  CheckFinding,
  CheckReport,
  GateReport,
} from '../../core/acceptance/report.ts';
import type { Io, Style } from './io.ts';
import { failureLines, oneLine, OUTCOME_STYLES } from './progress.ts';

const MARKS: { readonly [state: string]: readonly [mark: string, style: Style] } = {
  pending: ['·', 'dim'],
  running: ['▸', 'cyan'],
  'held-back': ['-', 'dim'],
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  error: ['!', 'red'],
  skipped: ['-', 'dim'],
};

const mark = (io: Io, { outcome, state }: Pick<CheckReport, 'outcome' | 'state'>): string => {
  const [sign, style] = MARKS[outcome ?? state] ?? MARKS['pending']!;
  return io.paint(style, sign);
};

/** Prints each check of a run once when it is over, under the heading of its gate: the same in a log. */
export function gatePrinter(io: Io, before?: AcceptanceReport): (report: AcceptanceReport) => void {
  const keyOf = (gate: GateReport, check: CheckReport): string =>
    `${gate.runs} ${check.id} ${check.endedAt ?? ''}`;
  const printed = new Set<string>();
  const headed = new Set<string>();
  for (const gate of before?.gates ?? []) {
    headed.add(`${gate.gate} ${gate.runs}`);
    for (const check of gate.checks) if (check.state === 'done') printed.add(keyOf(gate, check));
  }
  return (report) => {
    for (const gate of report.gates) {
      if (gate.state !== 'running' && gate.state !== 'done') continue;
      const heading = `${gate.gate} ${gate.runs}`;
      if (!headed.has(heading)) io.say(`Gate ${gate.gate}: ${gate.title}${keptWords(gate)}`);
      headed.add(heading);
      if (gate.kept) continue;
      for (const check of gate.checks) {
        const key = keyOf(gate, check);
        if (check.state !== 'done' || printed.has(key)) continue;
        printed.add(key);
        io.say(`  ${checkLine(io, check)}`);
      }
    }
  };
}

const keptWords = ({ kept }: GateReport): string =>
  kept ? ` (evidence of run ${kept.runId}, ${kept.endedAt})` : '';

/** What was found, and of what, where the message does not say it by itself. */
const foundWords = ({ target, failure: { message } }: CheckFinding): string =>
  target === '' || message.includes(target) ? message : `${target}: ${message}`;

/** `✓ BMCs answer (3 s): 4: reached and logged in to` */
function checkLine(io: Io, check: CheckReport): string {
  const { startedAt, endedAt, findings, outcome } = check;
  const took =
    startedAt && endedAt ? ` (${formatDuration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)})` : '';
  const first = findings?.[0];
  const said = first ? foundWords(first) : check.summary;
  const word = outcome === 'skipped' ? 'skipped: ' : '';
  return `${mark(io, check)} ${check.title}${io.paint('dim', took)}${said ? `: ${word}${oneLine(said)}` : ''}`;
}

/** All of a run: its gates, the checks of each, and what each found. */
export const runLines = (io: Io, report: AcceptanceReport): string[] => [
  ...report.gates.flatMap((gate) => [
    `${mark(io, gate)} Gate ${gate.gate}: ${gate.title}${keptWords(gate)}`,
    ...gate.checks.flatMap((check) => [
      `    ${checkLine(io, check)}`,
      ...(check.findings ?? []).slice(1).map((each) => `        ${oneLine(foundWords(each))}`),
    ]),
  ]),
  ...runVerdict(io, report),
];

/** How a run stands: a line, where it stopped, and what to do. */
export function runVerdict(io: Io, report: AcceptanceReport): string[] {
  const { site, runId, outcome, held, failure, stoppedAt } = report;
  const word = outcome
    ? io.paint(OUTCOME_STYLES[outcome], outcome)
    : held
      ? io.paint('yellow', 'held')
      : io.paint('cyan', 'running');
  const gate = report.gates.find((each) => each.gate === stoppedAt);
  const where = gate ? ` at gate ${gate.gate}, ${gate.title} (${gate.owner})` : '';
  const lines = [`acceptance of ${site} (${runId}): ${word}${where}`];
  if (failure) lines.push(...failureLines(io, failure));
  if (report.signature) {
    const { signature } = report;
    lines.push(signature.signed ? `  signed with key ${signature.keyId}` : `  unsigned: ${signature.why}`);
  }
  if (outcome) lines.push(...report.notes.map((note) => `  ${oneLine(note, 600)}`));
  if (held && !outcome) {
    lines.push(
      `  When corrected: rackwright acceptance resume ${runId}`,
      `  To give up:     rackwright acceptance abort ${runId} --reason TEXT`,
    );
  }
  return lines;
}

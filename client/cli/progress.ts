import { CONTROL_PLANE_FIRST } from '../../core/acceptance/standing.ts';
import { formatDuration } from '../../core/duration.ts';
import type { ErrorCode } from '../../core/errors/catalogue.ts';
import type { Failure } from '../../core/errors/failure.ts';
import type { OperationReport, StepReport, StepState } from '../../core/operations.ts';
import type { Io, Style } from './io.ts';

const MARKS: { readonly [S in StepState]: readonly [mark: string, style: Style] } = {
  pending: ['·', 'dim'],
  running: ['▸', 'cyan'],
  waiting: ['…', 'cyan'],
  done: ['✓', 'green'],
  skipped: ['-', 'dim'],
  failed: ['✗', 'red'],
};

export const OUTCOME_STYLES = { pass: 'green', fail: 'red', error: 'red', aborted: 'yellow' } as const;

/**
 * Prints each change of an operation once, a line per step: the same on a terminal and in a log.
 * What `before` tells was seen already: after a resume only what is new is printed.
 */
export function progressPrinter(
  io: Io,
  prefix = '',
  before?: OperationReport,
): (report: OperationReport) => void {
  const keyOf = (step: StepReport): string => `${step.state} ${step.startedAt ?? ''}`;
  const printed = new Map(before?.steps.map((step) => [step.id, keyOf(step)]));
  return (report) => {
    for (const step of report.steps) {
      const key = keyOf(step);
      if (step.state === 'pending' || step.state === 'skipped' || printed.get(step.id) === key) continue;
      printed.set(step.id, key);
      io.say(`${prefix}${stepLine(io, step)}`);
    }
  };
}

/** `✓ Power on (3 s): the system is on` */
export function stepLine(io: Io, step: StepReport): string {
  const [mark, style] = MARKS[step.state];
  const took = step.startedAt && step.endedAt ? ` (${formatDuration(seconds(step))})` : '';
  const said = step.failure?.message ?? step.summary;
  return `${io.paint(style, mark)} ${step.title}${io.paint('dim', took)}${said ? `: ${oneLine(said)}` : ''}`;
}

const seconds = (step: StepReport): number =>
  (Date.parse(step.endedAt!) - Date.parse(step.startedAt!)) / 1000;

export const oneLine = (text: string, most = 300): string => text.replaceAll(/\s+/g, ' ').slice(0, most);

/** Failures of the contract that are corrected outside of it, by time or at the place that a reference names. */
const OUTSIDE: ReadonlySet<string> = new Set<ErrorCode>([
  'WINDOW_CLOSED',
  'SECRET_UNRESOLVED',
  'SITE_KEY_INVALID',
  'BMC_AUTH_FAILED',
  'IRONIC_AUTH_FAILED',
]);

/** Whether a corrected contract is what it takes: a held operation goes on under the one that it began with. */
const needsAnother = ({ faultDomain, code }: Failure): boolean =>
  faultDomain === 'contract' && !OUTSIDE.has(code);

/** How an operation stands: a line, and what to do when it is held or has failed. */
export function verdictLines(io: Io, report: OperationReport): string[] {
  const { kind, node, requestId, outcome, held, phase, failure } = report;
  const name = `${kind} of ${node} (${requestId})`;
  const word = outcome
    ? io.paint(OUTCOME_STYLES[outcome], outcome)
    : held
      ? io.paint('yellow', 'held')
      : io.paint('cyan', 'running');
  const lines = [`${name}: ${word}; the node is ${phase}`];
  if (failure) lines.push(...failureLines(io, failure));
  if (failure) {
    const hint = report.notes.findLast((note) => note.includes(CONTROL_PLANE_FIRST));
    if (hint !== undefined)
      lines.push(`  ${io.paint('yellow', oneLine(hint.slice(hint.indexOf(CONTROL_PLANE_FIRST)), 600))}`);
  }
  if (report.residue.length > 0) lines.push(`  left behind: ${report.residue.join(', ')}`);
  if (held && !outcome) {
    const abort = `rackwright op abort ${requestId} --node ${node} --reason TEXT`;
    lines.push(
      ...(failure && report.contractHash !== undefined && needsAnother(failure)
        ? [`  It keeps the contract that it began with. When corrected: ${abort}, then ask again`]
        : [
            `  When corrected: rackwright op resume ${requestId} --node ${node}`,
            `  To give up:     ${abort}`,
          ]),
    );
  }
  return lines;
}

export const failureLines = (io: Io, failure: Failure): string[] => [
  `  ${io.paint('red', failure.code)} (${failure.faultDomain}): ${oneLine(failure.message)}`,
  `  correction: ${failure.correction}`,
];

import { legalVerbs } from './decide.ts';
import type { Failure } from './errors/failure.ts';
import { escapeMarkdown as esc, table } from './markdown.ts';
import { flagsOf, type NodeRecord } from './node.ts';
import type { OperationReport, StepReport, StepState } from './operations.ts';

/** What the Web UI shows of a workflow: Markdown that is true at every moment. */

const MARK: Record<StepState, string> = {
  pending: '·',
  running: '▶ running',
  waiting: '… waiting',
  done: '✓ done',
  skipped: '– skipped',
  failed: '✗ failed',
};

/** A failure as people read it: who has to fix it, what happened, what to do. */
export const failureDetails = (failure: Failure): string =>
  [
    `**${failure.code}** · fault domain **${failure.faultDomain}**`,
    '',
    esc(failure.message, 1000),
    '',
    `**Correction:** ${esc(failure.correction, 600)}`,
  ].join('\n');

/** The details of an `operation`: verdict or state, failure with its correction, table of steps. */
export function operationDetails(report: OperationReport): string {
  const verdict = report.outcome ?? (report.held ? 'held' : 'running');
  const parts = [
    `### ${report.kind} of ${report.node}: ${verdict}`,
    '',
    `Phase **${report.phase}** · request ${esc(report.requestId)}`,
  ];
  if (report.failure) parts.push('', failureDetails(report.failure));
  if (report.held) {
    parts.push(
      '',
      'Correct the cause, then send `resume` (here or on the node), for example `{}`, or `abort` with a reason.',
    );
  }
  if (report.residue.length > 0) parts.push('', `Left behind: ${report.residue.join(', ')}`);
  if (report.steps.length > 0) parts.push('', stepTable(report.steps));
  for (const note of report.notes.slice(-5)) parts.push('', esc(note));
  return parts.join('\n');
}

function stepTable(steps: readonly StepReport[]): string {
  return table(
    ['step', 'state', 'since', 'what'],
    steps.map((step) => [
      esc(step.title),
      MARK[step.state],
      (step.endedAt ?? step.startedAt ?? '').replace('T', ' ').replace(/\.\d+Z$/, 'Z'),
      esc(step.failure ? `${step.failure.code}: ${step.failure.message}` : (step.summary ?? '')),
    ]),
  );
}

/** A message that the node could not accept. */
export interface RefusedMessage {
  readonly at: string;
  readonly verb: string;
  readonly code: string;
  readonly message: string;
}

/** The details of a `node`. */
export function nodeDetails(node: NodeRecord, refused: readonly RefusedMessage[]): string {
  const flags = flagsOf(node);
  const parts = [
    `### ${node.node}: ${node.phase}${flags.length > 0 ? ` (${flags.join(', ')})` : ''}`,
    '',
    table(
      ['owner', 'image', 'power', 'health', 'generation'],
      [
        [
          esc(node.owner ?? '–'),
          esc(node.image ?? '–'),
          node.power,
          esc(node.health),
          String(node.generation),
        ],
      ],
    ),
  ];
  if (node.operation) {
    const { requestId, kind, held, step, failure } = node.operation;
    parts.push(
      '',
      `Operation **${kind}** (${esc(requestId)}) ${held ? 'is **held**' : 'is running'}${step ? ` at ${esc(step)}` : ''}.`,
    );
    if (failure) parts.push('', failureDetails(failure));
  } else if (node.lastFailure) {
    parts.push('', failureDetails(node.lastFailure));
  }
  if (node.residue.length > 0)
    parts.push('', `Left behind: ${node.residue.join(', ')}; it is looked at again by itself.`);
  parts.push('', `Legal now: ${legalVerbs(node).join(', ')}`);
  if (refused.length > 0) {
    parts.push(
      '',
      '#### Messages that were refused',
      '',
      table(
        ['at', 'verb', 'code', 'why'],
        refused.map((r) => [r.at, esc(r.verb), r.code, esc(r.message)]),
      ),
    );
  }
  return parts.join('\n');
}

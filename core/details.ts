import { legalVerbs } from './decide.ts';
import type { Failure } from './errors/failure.ts';
import { BREAK, code, escapeMarkdown as esc, prose, shortWords, table } from './markdown.ts';
import { operationWorkflowId } from './names.ts';
import { flagsOf, healthOf, NO_OWNER, powerOf, type NodeRecord } from './node.ts';
import type { OperationReport, StepReport, StepState } from './operations.ts';

/**
 * What the Web UI shows of a workflow: Markdown that is true at every moment. Its column is narrow, and a
 * line of a paragraph stays a line there.
 */

const MARK: Record<StepState, string> = {
  pending: '·\u00a0pending',
  running: '▶\u00a0running',
  waiting: '…\u00a0waiting',
  done: '✓\u00a0done',
  skipped: '–\u00a0skipped',
  failed: '✗\u00a0failed',
};

/** A failure as people read it: who has to fix it, what happened, what to do. */
export const failureDetails = (failure: Failure): string =>
  [
    `**${failure.code}** · fault domain **${failure.faultDomain}**`,
    esc(failure.message, 1000),
    '',
    `**Correction:** ${prose(failure.correction, 600)}`,
  ].join('\n');

const HOW_TO_GO_ON =
  'When it is corrected, send `resume` with `{}`; to give up, `abort` with `{"reason": "…"}`.';

/** The details of an `operation`: verdict or state, failure with its correction, table of steps. */
export function operationDetails(report: OperationReport): string {
  const verdict = report.outcome ?? (report.held ? 'held' : 'running');
  const parts = [
    `### ${report.kind} of ${report.node}: ${verdict}`,
    '',
    `Phase **${report.phase}** · began ${at(report.startedAt)} UTC`,
    `Request ${code(report.requestId)}`,
  ];
  if (report.failure) parts.push('', failureDetails(report.failure));
  if (report.held) parts.push('', `${HOW_TO_GO_ON} Send it here or to the node.`);
  if (report.residue.length > 0) {
    const what = verdict === 'running' ? 'Set up, and not yet taken back' : 'Left behind';
    parts.push('', `${what}: **${report.residue.join(', ')}**`);
  }
  if (report.steps.length > 0) parts.push('', stepTable(report));
  const notes = report.notes.slice(-5).map((note) => `- ${esc(note.replace(NOTED_AT, at))}`);
  if (notes.length > 0) parts.push('', ...notes);
  return parts.join('\n');
}

function stepTable({ steps, startedAt }: OperationReport): string {
  return table(
    ['state', 'at (UTC)', 'step'],
    steps.map((step) => [
      MARK[step.state],
      timeOf(step.endedAt ?? step.startedAt, startedAt),
      [`**${esc(step.title)}**`, ...whatOf(step)].join(BREAK),
    ]),
  );
}

function whatOf({ failure, summary }: StepReport): string[] {
  const what = failure ? `${failure.code}: ${failure.message}` : summary;
  return what ? [esc(shortWords(what), 160)] : [];
}

/** Notes begin with their time. */
const NOTED_AT = /^\d{4}-\d\d-\d\dT[\d:.]+Z/;

const at = (time: string): string => time.replace('T', ' ').replace(/(\.\d+)?Z$/, '');

/** The time of day, and the day where it is not the one of the beginning. */
function timeOf(time: string | undefined, began: string): string {
  if (time === undefined) return '';
  const sameDay = time.slice(0, 10) === began.slice(0, 10);
  return sameDay ? time.slice(11, 19) : unbroken(`${time.slice(5, 10)} ${time.slice(11, 16)}`);
}

/** A narrow column would break a date at its dashes. */
const unbroken = (text: string): string => text.replaceAll('-', '\u2011').replaceAll(' ', '\u00a0');

/** A message that the node could not accept. */
export interface RefusedMessage {
  readonly at: string;
  readonly verb: string;
  readonly code: string;
  readonly message: string;
}

/** The details of a `node`. The namespace is where its operations are linked to. */
export function nodeDetails(
  node: NodeRecord,
  refused: readonly RefusedMessage[],
  namespace = 'default',
): string {
  const flags = flagsOf(node);
  const parts = [
    `### ${node.node}: ${node.phase}${flags.length > 0 ? ` (${flags.join(', ')})` : ''}`,
    '',
    [
      node.owner === null ? `**${NO_OWNER}**` : `Owner **${esc(node.owner)}**`,
      `image **${esc(node.image ?? '–')}**`,
      `power **${powerOf(node)}**`,
      `health **${esc(healthOf(node))}**`,
    ].join(' · '),
    ...seenLines(node),
  ];
  for (const [name, reason] of Object.entries(node.flags)) {
    if (reason !== null) parts.push(`${name}: ${esc(reason)}`);
  }
  if (node.operation) {
    const { requestId, kind, held, step, failure } = node.operation;
    const id = operationWorkflowId(node.site, node.node, requestId);
    const where = step && !held ? ` at ${code(step)}` : '';
    parts.push(
      '',
      `Operation **${kind}** ${held ? 'is **held**' : 'is running'}${where}:`,
      linkTo(id, namespace),
    );
    if (failure) parts.push('', failureDetails(failure));
    if (held) parts.push('', `${HOW_TO_GO_ON} Send it here or to the operation.`);
  } else if (node.lastFailure) {
    parts.push('', `Last failure: ${failureDetails(node.lastFailure)}`);
  }
  if (node.residue.length > 0) {
    parts.push('', `Left behind: **${node.residue.join(', ')}**. It is looked at again by itself.`);
  }
  parts.push('', `Legal now: ${legalVerbs(node).map(code).join(' ')}`);
  if (refused.length > 0)
    parts.push('', '#### Messages that were refused, newest first', '', refusedTable(refused));
  return parts.join('\n');
}

/** What the watch saw that somebody should know of. */
function seenLines({ powerChange, unreachable }: NodeRecord): string[] {
  const lines: string[] = [];
  if (powerChange) {
    const { from, to, at: seen } = powerChange;
    lines.push(`Power changed from **${from}** to **${to}** by someone else, seen ${at(seen)} UTC`);
  }
  if (unreachable) {
    lines.push(`BMC cannot be read since ${at(unreachable.since)} UTC: **${esc(unreachable.why)}**`);
  }
  return lines.flatMap((line) => ['', line]);
}

/** A link to a workflow, as it lies from where the Web UI renders Markdown. */
const linkTo = (id: string, namespace: string): string =>
  `[${esc(id)}](namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)})`;

function refusedTable(refused: readonly RefusedMessage[]): string {
  return table(
    ['at (UTC)', 'message', 'why'],
    refused
      .toReversed()
      .map((r) => [
        at(r.at).split(' ').map(unbroken).join(BREAK),
        code(r.verb),
        [`**${esc(r.code)}**`, esc(shortWords(r.message), 500)].join(BREAK),
      ]),
  );
}

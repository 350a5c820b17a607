import { formatDuration } from '../../duration.ts';
import { GATES } from '../gates.ts';
import type { AcceptanceReport } from '../report.ts';
import { piecesHtml, type ShownPiece } from './html-evidence.ts';
import { gatesHtml, timelineHtml } from './html-gates.ts';
import { classOf, facts, marked, MARKS } from './html-parts.ts';
import { stoppedHtml } from './html-stopped.ts';
import { escapeMarkup as esc, secondsBetween } from './markup.ts';
import { STYLE } from './style.ts';
import { moment, standingOf, verdictOf, verdictSentence } from './words.ts';

/** What a report shows beside the report itself. */
export interface Shown {
  /** When it is made: what still runs has run until then. */
  readonly madeAt: string;
  /** The pieces of evidence of the checks that are not green, by their ids, as far as they can be read. */
  readonly pieces?: ReadonlyMap<string, ShownPiece>;
}

/** Nothing is loaded and nothing is run, whatever a device has said. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** A run as one page of HTML: the verdict, the gates, what stopped it and what corrects that; then all the rest. */
export function reportHtml(report: AcceptanceReport, shown: Shown): string {
  const title = `Acceptance of ${report.site}: ${verdictOf(report)}`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${esc(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body><main>',
    top(report, shown),
    strip(report),
    ...stoppedHtml(report, shown.pieces),
    ...timelineHtml(report, shown.madeAt),
    ...gatesHtml(report),
    ...notes(report),
    foot(report, shown),
    '</main></body>',
    '</html>',
    '',
  ].join('\n');
}

function top(report: AcceptanceReport, { madeAt }: Shown): string {
  const verdict = verdictOf(report);
  const took = secondsBetween(report.startedAt, report.endedAt ?? madeAt) ?? 0;
  const gate = GATES.find(({ number }) => number === report.stoppedAt);
  const when = report.endedAt
    ? `${moment(report.startedAt)} to ${report.endedAt.slice(0, 10) === report.startedAt.slice(0, 10) ? moment(report.endedAt).slice(11) : moment(report.endedAt)} UTC, ${formatDuration(took)}`
    : `began ${moment(report.startedAt)} UTC, ${formatDuration(took)} ago when this report was made`;
  return [
    `<header class="top ${classOf(verdict)}">`,
    `<span class="verdict"><span aria-hidden="true">${MARKS[verdict]}</span> ${verdict.toUpperCase()}</span>`,
    '<div>',
    `<h1>Acceptance of ${esc(report.site)}</h1>`,
    `<p class="lead">${esc(verdictSentence(report))}</p>`,
    facts([
      ...(gate ? [['to correct', esc(gate.owner)] as const] : []),
      ...(report.failure ? [['fault domain', esc(report.failure.faultDomain)] as const] : []),
      ['run', `<span class="mono">${esc(report.runId)}</span>`],
      ['when', esc(when)],
      ['proof', signature(report)],
    ]),
    '</div>',
    '</header>',
  ].join('\n');
}

function signature({ signature: made, outcome }: AcceptanceReport): string {
  if (made === undefined) return outcome === undefined ? 'signed when the run is over' : 'unsigned';
  return made.signed
    ? `signed, key <span class="mono">${esc(made.keyId.slice(0, 16))}…</span>`
    : '<b>unsigned</b>';
}

/** The seven gates, also those that are no part of the run. */
function strip(report: AcceptanceReport): string {
  const absent = report.gates.length === 0 ? 'not run' : 'not taken';
  const cells = GATES.map(({ number, title }) => {
    const gate = report.gates.find((each) => each.gate === number);
    const standing = gate ? standingOf(gate) : undefined;
    const word = gate?.leftOut === undefined ? standing : 'left out';
    const why = gate?.leftOut === undefined ? '' : `<span class="small muted">${esc(gate.leftOut)}</span>`;
    const stop = number === report.stoppedAt ? ' stopped' : '';
    const kept = gate?.kept ? '<span class="small muted">kept evidence</span>' : '';
    return [
      `<li class="${classOf(standing ?? 'pending')}${stop}">`,
      `<span class="stand"><span aria-hidden="true">${MARKS[standing ?? 'pending']}</span> ${word ?? absent}</span>`,
      `<span class="name"><b>${number}</b> ${esc(title)}</span>${kept}${why}</li>`,
    ].join('');
  });
  return `<ol class="strip" aria-label="The seven gates">\n${cells.join('\n')}\n</ol>`;
}

function notes({ notes: all }: AcceptanceReport): string[] {
  if (all.length === 0) return [];
  return [
    '<h2>Remarks</h2>',
    '<ul class="small">',
    ...all.map((note) => `<li>${esc(note, 1000)}</li>`),
    '</ul>',
  ];
}

function foot(report: AcceptanceReport, { madeAt }: Shown): string {
  const { site, runId, contractHash, fingerprint, signature: made, outcome } = report;
  const rows: [string, string][] = [
    [
      'Report',
      `made ${moment(madeAt)} UTC of run <span class="mono">acceptance/${esc(site)}/${esc(runId)}</span>`,
    ],
    ...row('Contract', contractHash, 'SHA-256'),
    ...row('Hardware and firmware', fingerprint, 'SHA-256'),
    [
      'Signature',
      made === undefined
        ? outcome === undefined
          ? 'made when the run is over'
          : 'unsigned'
        : made.signed
          ? `${made.algorithm}, key <span class="mono">${esc(made.keyId)}</span>`
          : `unsigned. ${marked(made.why)}`,
    ],
    ...(made?.signed
      ? ([
          [
            'To verify it',
            `<code>rackwright evidence verify ${esc(runId)} --key PUBLIC.pem</code>, with a key that did not come with this report. This page itself is not signed: it is made of what is.`,
          ],
        ] as [string, string][])
      : []),
  ];
  return [
    '<footer>',
    ...piecesHtml(report),
    '<dl>',
    ...rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`),
    '</dl>',
    '</footer>',
  ].join('\n');
}

const row = (name: string, value: string | undefined, what: string): [string, string][] =>
  value === undefined ? [] : [[name, `${what} <span class="mono">${esc(value)}</span>`]];

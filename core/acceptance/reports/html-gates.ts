import { formatDuration } from '../../duration.ts';
import type { AcceptanceReport, CheckReport, GateReport } from '../report.ts';
import { badge, classOf, marked } from './html-parts.ts';
import { escapeMarkup as esc, secondsBetween } from './markup.ts';
import { timelineOf, type Bar, type Gap } from './timeline.ts';
import { clock, keptWords, standingOf, tookWords } from './words.ts';

/** The checks along their time. */
export function timelineHtml(report: AcceptanceReport, now: string): string[] {
  const { bars, gaps, ticks } = timelineOf(report, now);
  if (bars.length === 0) return [];
  const shown = spread(ticks);
  return [
    '<h2>Time line</h2>',
    '<div class="line">',
    '<span class="label muted">UTC</span>',
    `<div class="axis">${shown.map((each, index) => tick(each, shown[index - 1]?.at ?? report.startedAt, index === shown.length - 1)).join('')}</div>`,
    ...bars.flatMap((bar, index) => [
      ...(bars[index - 1]?.gate === bar.gate
        ? []
        : [`<span class="group">Gate ${bar.gate.gate}, ${esc(bar.gate.title)}</span>`]),
      lane(bar, gaps),
    ]),
    '</div>',
    ...(gaps.length > 0
      ? [
          `<p class="small muted">Between dashed lines nothing ran, for ${gaps.map(({ seconds }) => formatDuration(seconds)).join(', then ')}: drawn shorter than it was.</p>`,
        ]
      : []),
  ];
}

/** Ticks that do not run into each other; the last one stays. */
function spread<T extends { readonly left: number }>(ticks: readonly T[]): T[] {
  const shown: T[] = [];
  for (const each of ticks.slice(0, -1)) {
    if (each.left < 84 && each.left - (shown.at(-1)?.left ?? -100) >= 14) shown.push(each);
  }
  return [...shown, ...ticks.slice(-1)];
}

/** A time on the axis, with its day where that is another than the one before. */
function tick(
  { left, at }: { readonly left: number; readonly at: string },
  before: string,
  last: boolean,
): string {
  const day = at.slice(0, 10) === before.slice(0, 10) ? '' : `${at.slice(5, 10)} `;
  return `<span style="${last ? 'right:0' : `left:${left}%`}">${day}${clock(at)}</span>`;
}

function lane({ check, left, width, seconds }: Bar, gaps: readonly Gap[]): string {
  const standing = standingOf(check);
  const took = tookWords(seconds);
  const end = left + width;
  // Beside its bar, where there is room; else within it, at its end.
  const within = end > 80 && left < 25;
  const from = within ? end : left;
  const side = end > 80 ? `right:${(100 - from).toFixed(2)}%` : `left:${end.toFixed(2)}%`;
  return [
    `<span class="label" title="${esc(check.title)}">${esc(check.title, 120)}</span>`,
    `<div class="track" role="img" aria-label="${standing}, at ${clock(check.startedAt)}, ${took}">`,
    ...gaps.map((gap) => `<span class="gap" style="left:${gap.left}%;width:${gap.width}%"></span>`),
    `<span class="bar ${classOf(standing)}" style="left:${left}%;width:${width}%"></span>`,
    `<span class="took${within ? ' within' : ''}" style="${side}">${standing === 'pass' ? '' : `${standing}, `}${took}</span></div>`,
  ].join('');
}

/** Every gate with all of its checks. */
export function gatesHtml(report: AcceptanceReport): string[] {
  if (report.gates.length === 0) return [];
  return ['<h2>All gates</h2>', ...report.gates.map((gate) => gateHtml(gate, report))];
}

function gateHtml(gate: GateReport, report: AcceptanceReport): string {
  const kept = keptWords(gate, report);
  if (gate.checks.every((check) => check.startedAt === undefined && check.outcome === undefined)) {
    return unrunHtml(gate);
  }
  const remarks = [
    gate.owner,
    ...(gate.runs > 1 ? [`ran ${gate.runs} times`] : []),
    ...(kept ? [kept] : []),
    ...(gate.leftOut === undefined ? [] : [`left out: ${gate.leftOut}`]),
  ];
  return [
    '<table>',
    `<caption>${badge(standingOf(gate))} Gate ${gate.gate}, ${esc(gate.title)} <span class="muted">${esc(remarks.join(' · '))}</span></caption>`,
    '<thead><tr><th scope="col">outcome</th><th scope="col">check</th><th scope="col">made from</th><th scope="col">at (UTC), took</th></tr></thead>',
    '<tbody>',
    ...gate.checks.map(checkRow),
    '</tbody>',
    '</table>',
  ].join('\n');
}

/** A gate of which nothing ran: a line, and its checks when they are asked for. */
function unrunHtml(gate: GateReport): string {
  const { length } = gate.checks;
  return [
    `<div class="skip">${badge(standingOf(gate))}<h3>Gate ${gate.gate}, ${esc(gate.title)}</h3>`,
    `<details><summary>${length} check${length === 1 ? '' : 's'}</summary>`,
    `<ul class="more small">${gate.checks.map(({ title }) => `<li>${esc(title)}</li>`).join('')}</ul>`,
    '</details></div>',
  ].join('\n');
}

function checkRow(check: CheckReport): string {
  const { title, from, startedAt, endedAt, requirements = [], evidence = [] } = check;
  const took = secondsBetween(startedAt, endedAt);
  const also = [
    ...(requirements.length > 0 ? [requirements.join(', ')] : []),
    ...(evidence.length > 0
      ? [`${evidence.length} piece${evidence.length === 1 ? '' : 's'} of evidence`]
      : []),
  ];
  return [
    `<tr><td class="o">${badge(standingOf(check))}</td>`,
    `<td><b>${esc(title)}</b>${said(check, also)}</td>`,
    `<td class="f">${marked(from)}</td>`,
    `<td class="t">${startedAt ? clock(startedAt) : ''}${took === undefined ? '' : `, ${tookWords(took)}`}</td></tr>`,
  ].join('');
}

/** What a check said; of one that is not green, the first finding and how many more there are. */
function said({ outcome, summary = '', findings = [] }: CheckReport, also: readonly string[]): string {
  const [first, ...more] = findings;
  const text = first
    ? `${first.target ? `${first.target}: ` : ''}${first.failure.message}`
    : `${outcome === 'skipped' ? 'skipped: ' : ''}${summary}`;
  const rest = [...(more.length === 0 ? [] : [`and ${more.length} more`]), ...also].join(' · ');
  if (text === '' && rest === '') return '';
  const cut = text.length > 240 ? `${text.slice(0, 239)}…` : text;
  const between = text !== '' && rest !== '' ? ' · ' : '';
  return `<div class="what">${marked(cut)}<span class="muted">${between}${esc(rest)}</span></div>`;
}

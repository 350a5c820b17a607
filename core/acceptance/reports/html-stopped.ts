import type { Failure } from '../../errors/failure.ts';
import type { AcceptanceReport, CheckFinding, CheckReport } from '../report.ts';
import { evidenceHtml, type ShownPiece } from './html-evidence.ts';
import { badge, classOf, facts, marked } from './html-parts.ts';
import { escapeMarkup as esc, secondsBetween } from './markup.ts';
import { redChecks, standingOf, tookWords, verdictOf, type Verdict } from './words.ts';

type Pieces = ReadonlyMap<string, ShownPiece> | undefined;

/** How many findings of a check are seen at once, and how much of what each says. */
const SEEN = 3;
const LONGEST = 800;

/** What stopped the run, and what corrects it. */
export function stoppedHtml(report: AcceptanceReport, pieces: Pieces): string[] {
  const checks = redChecks(report);
  const own = ownFailure(report, checks);
  if (checks.length === 0 && own === undefined) return [];
  const gate = report.gates.find((each) => each.gate === report.stoppedAt);
  const heading =
    gate && checks.length > 0
      ? `What stopped it at gate ${gate.gate}, ${gate.title}`
      : report.outcome === undefined
        ? 'What was found so far'
        : 'What ended it';
  return [
    `<h2>${esc(heading)}</h2>`,
    '<div class="cards">',
    ...(own ? [failureCard(own, verdictOf(report))] : []),
    ...checks.map((check) => checkCard(check, pieces)),
    ...next(report),
    '</div>',
  ];
}

/** What ended the run where no check did: it could not be opened, was aborted, or waited for nobody. */
function ownFailure({ failure }: AcceptanceReport, checks: readonly CheckReport[]): Failure | undefined {
  if (failure === undefined) return undefined;
  const told = checks.some(({ findings = [] }) =>
    findings.some((each) => each.failure.code === failure.code && each.failure.message === failure.message),
  );
  return told ? undefined : failure;
}

const failureCard = (failure: Failure, verdict: Verdict): string =>
  [`<section class="card ${classOf(verdict)}">`, findingsHtml([{ target: '', failure }]), '</section>'].join(
    '\n',
  );

/** What was found, of which targets, and the one correction of all of it. */
function findingsHtml(findings: readonly CheckFinding[]): string {
  const { correction, code, faultDomain } = findings[0]!.failure;
  return [
    ...findings.map(
      ({ target, failure }) =>
        `<p class="said">${target === '' ? '' : `<b>${esc(target, 200)}</b>: `}${esc(failure.message, LONGEST)}</p>`,
    ),
    `<div class="fix"><b>Smallest correction</b>${marked(correction)}</div>`,
    facts([
      ['fault domain', `<b>${esc(faultDomain)}</b>`],
      ['code', `<span class="mono">${esc(code)}</span>`],
    ]),
  ].join('\n');
}

function checkCard(check: CheckReport, pieces: Pieces): string {
  const { title, from, findings = [], summary, evidence = [], targets, requirements = [] } = check;
  const standing = standingOf(check);
  const took = secondsBetween(check.startedAt, check.endedAt);
  return [
    `<section class="card ${classOf(standing)}">`,
    `<div class="head">${badge(standing)}<h3>${esc(title)}</h3></div>`,
    facts([
      ['check', `<span class="mono">${esc(check.id)}</span>`],
      ['made from', marked(from)],
      ...(targets ? [['targets', String(targets)] as const] : []),
      ...(took === undefined ? [] : [['took', tookWords(took)] as const]),
      ...(summary ? [['in all', esc(summary, 300)] as const] : []),
      ...(requirements.length > 0 ? [['requirements', esc(requirements.join(', '))] as const] : []),
    ]),
    ...(findings.length > 0
      ? folded(byCorrection(findings))
      : ['<p class="finding said">It left no result. A missing result is an error, never a pass.</p>']),
    ...evidenceHtml(evidence, pieces),
    '</section>',
  ].join('\n');
}

/** The first findings are seen at once, the others when they are asked for. */
function folded(groups: readonly (readonly CheckFinding[])[]): string[] {
  const all = groups.map((group) => `<div class="finding">\n${findingsHtml(group)}\n</div>`);
  const later = groups.slice(SEEN).reduce((sum, group) => sum + group.length, 0);
  if (later === 0) return all;
  return [
    ...all.slice(0, SEEN),
    `<details><summary>${later} more finding${later === 1 ? '' : 's'}</summary>`,
    ...all.slice(SEEN),
    '</details>',
  ];
}

/** Findings in their order; those that one correction mends stand together. */
function byCorrection(findings: readonly CheckFinding[]): CheckFinding[][] {
  const groups = new Map<string, CheckFinding[]>();
  for (const each of findings) {
    const { correction, code, faultDomain } = each.failure;
    const key = JSON.stringify([correction, code, faultDomain]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

/** How to go on from here. */
function next({ held, outcome, runId, stoppedAt }: AcceptanceReport): string[] {
  if (held && outcome === undefined) {
    return [
      '<section class="card held">',
      '<h3>When it is corrected</h3>',
      `<p>This gate is run again, and then those after it: <code>rackwright acceptance resume ${esc(runId)}</code></p>`,
      `<p>To give up: <code>rackwright acceptance abort ${esc(runId)} --reason TEXT</code></p>`,
      '</section>',
    ];
  }
  if (outcome === undefined || stoppedAt === undefined) return [];
  return [
    '<section class="card quiet">',
    '<h3>When it is corrected</h3>',
    stoppedAt === 1
      ? '<p>Run the gates again: <code>rackwright acceptance run</code></p>'
      : `<p>Begin again at this gate, with the evidence of those before it: <code>rackwright acceptance run --from ${stoppedAt} --of ${esc(runId)}</code></p>`,
    '</section>',
  ];
}

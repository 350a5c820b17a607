import type { Json } from '../../json.ts';
import type { EvidenceRef } from '../../operations.ts';
import type { AcceptanceReport } from '../report.ts';
import { escapeMarkup as esc } from './markup.ts';
import { moment } from './words.ts';

/** A piece of evidence as the report shows it; `altered` where it is not what was stored. */
export type ShownPiece =
  | 'altered'
  | {
      readonly asked: Json;
      readonly of: string;
      readonly from: string;
      readonly at: string;
      readonly answer: Json;
    };

/** How many pieces of a check are shown, and how much of each: the store has all. */
const SHOWN_PIECES = 5;
const SHOWN_ANSWER = 4000;

/** What a check has asked, and what came back. */
export function evidenceHtml(
  refs: readonly EvidenceRef[],
  pieces: ReadonlyMap<string, ShownPiece> = new Map(),
): string[] {
  if (refs.length === 0) return [];
  const shown = refs.slice(0, SHOWN_PIECES);
  const rest = refs.length - shown.length;
  return [
    `<details open><summary>Evidence: ${refs.length} piece${refs.length === 1 ? '' : 's'}</summary>`,
    ...shown.map((ref) => pieceHtml(ref, pieces.get(ref.id))),
    ...(rest > 0 ? [`<p class="small muted">and ${rest} more, listed at the end</p>`] : []),
    '</details>',
  ];
}

function pieceHtml({ id, name }: EvidenceRef, piece: ShownPiece | undefined): string {
  const show = `<code>rackwright evidence show ${esc(id)}</code>`;
  if (piece === undefined) return `<p class="small">${esc(name)}: ${show}</p>`;
  if (piece === 'altered') return `<p class="small"><b>${esc(name)} is not what was stored.</b> ${show}</p>`;
  const { asked, of, from, at, answer } = piece;
  return [
    `<p class="small"><b>${esc(of, 200)}</b> was asked from ${esc(from, 200)} at ${esc(moment(at))} UTC: ${esc(textOf(asked), 400)}</p>`,
    `<pre>${esc(textOf(answer), SHOWN_ANSWER)}</pre>`,
  ].join('\n');
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** Every piece that the report points to, with its hash. */
export function piecesHtml({ gates, evidence }: AcceptanceReport): string[] {
  const refs = [
    ...gates.flatMap(({ checks }) => checks.flatMap((check) => check.evidence ?? [])),
    ...evidence,
  ];
  if (refs.length === 0) return [];
  return [
    `<details><summary>All evidence: ${refs.length} piece${refs.length === 1 ? '' : 's'}, with their hashes</summary>`,
    '<table class="ids"><thead><tr><th scope="col">piece</th><th scope="col">SHA-256 of its content</th></tr></thead><tbody>',
    ...refs.map(
      ({ id, sha256 }) => `<tr><td class="mono">${esc(id)}</td><td class="mono">${esc(sha256)}</td></tr>`,
    ),
    '</tbody></table>',
    '</details>',
  ];
}

import { escapeMarkup as esc } from './markup.ts';
import type { Standing, Verdict } from './words.ts';

/** A sign for each word, so that colour is not all that tells them apart. */
export const MARKS: { readonly [S in Standing | Verdict]: string } = {
  pass: '✓',
  fail: '✗',
  error: '!',
  skipped: '–',
  running: '▸',
  pending: '·',
  'not run': '–',
  aborted: '■',
  held: '‖',
};

const QUIET: readonly (Standing | Verdict)[] = ['skipped', 'pending', 'not run'];

/** The class that gives something its colours. */
export const classOf = (standing: Standing | Verdict): string =>
  QUIET.includes(standing) ? 'quiet' : standing;

export const badge = (standing: Standing): string =>
  `<span class="badge ${classOf(standing)}"><span aria-hidden="true">${MARKS[standing]}</span> ${standing}</span>`;

/** Names and values in a row. Values are HTML. */
export const facts = (rows: readonly (readonly [name: string, html: string])[]): string =>
  `<dl class="facts">${rows.map(([name, html]) => `<div><dt>${name}</dt><dd>${html}</dd></div>`).join('')}</dl>`;

/** Text in which what stands between backticks is code. */
export const marked = (text: string): string =>
  esc(text, 2000).replaceAll(/`([^`\n]{1,400})`/g, '<code>$1</code>');

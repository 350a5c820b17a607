/** Longest text from a device or a guest that is shown in one place. */
const SHOWN = 300;

/** Control characters, line and paragraph separators, and what turns the direction of the text around it. */
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const entity = (c: string): string => `&#${c.charCodeAt(0)};`;

/** Text from outside as one line without anything invisible, capped. */
export function oneLine(text: string, cap = SHOWN): string {
  const line = text
    .slice(0, cap * 2)
    .replaceAll(INVISIBLE, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > cap ? `${line.slice(0, cap - 1)}…` : line;
}

/**
 * Text from outside as Markdown that shows it and nothing else: capped, one line, every character that
 * Markdown, HTML or a table gives a meaning escaped, and what would begin a list, a rule or a link.
 */
export function escapeMarkdown(text: string, cap = SHOWN): string {
  return oneLine(text, cap)
    .replaceAll(/[\\`*_{}[\]<>()#+!|~&$@:]/g, entity)
    .replace(/^[-=]/, entity)
    .replace(/^(\d+)\./, '$1&#46;')
    .replaceAll(/www\./gi, (www) => `${www.slice(0, 3)}&#46;`);
}

/** An id, a name or a verb as code; escaped like any other text where it is none of them. */
export const code = (text: string): string =>
  /^[\w./-]{1,200}$/.test(text) ? `\`${text}\`` : escapeMarkdown(text);

/** Text of ours, in which `words` and `"json": values` stand as code. Everything else in it is escaped. */
export const prose = (text: string, cap = SHOWN): string =>
  text
    .slice(0, cap)
    .split(/(`[\w :"./-]{1,60}`)/)
    .map((part, index) => (index % 2 === 1 ? part : keepEnds(part, (inner) => escapeMarkdown(inner, cap))))
    .join('');

/** Escaping trims; between two pieces of a line the space counts. */
const keepEnds = (part: string, escape: (inner: string) => string): string =>
  `${/^\s/.test(part) ? ' ' : ''}${escape(part)}${/\S\s+$/.test(part) ? ' ' : ''}`;

/** Shortens words that would push a table out of its frame; both ends of them stay. */
export const shortWords = (text: string): string =>
  text.replaceAll(/\S{33,}/g, (word) => `${word.slice(0, 18)}…${word.slice(-12)}`);

/** The second line of a table's cell. */
export const BREAK = '<br>';

/** The Web UI's tables have neither padding nor lines: an empty column of this width keeps columns apart. */
const GAP = '\u2003';

/** A Markdown table. Cells are escaped by the caller. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(` | ${GAP} | `)} |`;
  const rule = `|${' --- |'.repeat(head.length * 2 - 1)}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

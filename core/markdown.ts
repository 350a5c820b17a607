/** Longest text from a device or a guest that is shown in one place. */
const SHOWN = 300;

/** Control characters, line and paragraph separators, and what turns the direction of the text around it. */
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const entity = (c: string): string => `&#${c.charCodeAt(0)};`;

/**
 * Text from outside as Markdown that shows it and nothing else: capped, one line, every character that
 * Markdown, HTML or a table gives a meaning escaped, and what would begin a list, a rule or a link.
 */
export function escapeMarkdown(text: string, cap = SHOWN): string {
  const line = text
    .slice(0, cap * 2)
    .replaceAll(INVISIBLE, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const capped = line.length > cap ? `${line.slice(0, cap - 1)}…` : line;
  return capped
    .replaceAll(/[\\`*_{}[\]<>()#+!|~&$@:]/g, entity)
    .replace(/^[-=]/, entity)
    .replace(/^(\d+)\./, '$1&#46;')
    .replaceAll(/www\./gi, (www) => `${www.slice(0, 3)}&#46;`);
}

/** A Markdown table. Cells are escaped by the caller. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

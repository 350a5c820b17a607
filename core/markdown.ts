/** Longest text from a device or a guest that is shown in one place. */
const SHOWN = 300;

/**
 * Text from outside as Markdown that shows it and nothing else: capped, one line, every character that
 * Markdown, HTML or a table gives a meaning escaped.
 */
export function escapeMarkdown(text: string, cap = SHOWN): string {
  const line = Array.from(text.slice(0, cap * 2))
    .map((c) => (c < ' ' || c === '\u007f' ? ' ' : c))
    .join('')
    .replaceAll(/ +/g, ' ')
    .trim();
  const capped = line.length > cap ? `${line.slice(0, cap - 1)}…` : line;
  return capped.replace(/[\\`*_{}[\]<>()#+!|~&$@:]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A Markdown table. Cells are escaped by the caller. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

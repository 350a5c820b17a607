import { toldOf } from './agent/read.ts';
import { oneLine } from './markdown.ts';

/** How many of the last lines count as evidence. */
const LINES = 64;
const LINE = 300;
const QUOTED = 2;
const QUOTE = 160;

/* oxlint-disable no-control-regex */
/** Where firmware and boot loaders put the cursor somewhere else: what follows is another line. */
const MOVES = /\u001b\[[\d;]*[HfJ]|\u001bc/g;
/** Colours, titles, and whatever else a terminal would not show. A title that has no end takes its line only. */
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?/g;
/* oxlint-enable no-control-regex */

/** The text of a console without what only a terminal understands. */
export const consoleText = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes).replaceAll(MOVES, '\n').replaceAll(ESCAPES, '');

/**
 * The last lines of a console's text, each on one line, capped, without anything invisible, and without what
 * may be a token. Of a line that was written over and over, such as a progress bar, the last state counts.
 */
export const consoleLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.split('\r').findLast((part) => part.trim() !== '') ?? '')
    .flatMap((line) => toldOf(oneLine(line, LINE * 4), LINE) ?? [])
    .slice(-LINES);

/** The last words of a console, to be quoted in a message. */
export const lastWords = (lines: readonly string[]): string[] =>
  lines.slice(-QUOTED).map((line) => oneLine(line, QUOTE).replaceAll('"', "'"));

/** What a silent machine showed last, as a sentence; empty if it showed nothing. */
export const consoleEnds = (words: readonly string[]): string =>
  words.length === 0 ? '' : ` Its console ends with: ${words.map((word) => `"${word}"`).join(', then ')}.`;

import { styleText } from 'node:util';
import type { Failure } from '../../core/errors/failure.ts';

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/** Where a command writes. With `--json`, stdout carries exactly one document and nothing else. */
export class Io {
  readonly json: boolean;
  readonly #color: boolean;
  #answered = false;

  constructor(json: boolean) {
    this.json = json;
    const wanted = (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
    this.#color = wanted && !json && process.stdout.isTTY;
  }

  /** A line for people: on stdout, or on stderr when stdout carries JSON. */
  say(line: string): void {
    (this.json ? process.stderr : process.stdout).write(`${line}\n`);
  }

  /** A remark that is not the answer. */
  note(line: string): void {
    process.stderr.write(`${line}\n`);
  }

  /** The answer: the document with `--json`, else the lines. */
  answer(document: unknown, lines: () => readonly string[]): void {
    if (!this.json) return lines().forEach((line) => this.say(line));
    if (this.#answered) throw new Error('a command answered twice');
    this.#answered = true;
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  }

  /** An error; the JSON document of a command that has not answered yet says it, too. */
  error(failure: Failure): void {
    const { code, message, correction, faultDomain } = failure;
    this.note(`${this.paint('red', code)} (${faultDomain}): ${message}\n  ${correction}`);
    if (this.json && !this.#answered) this.answer({ error: failure }, () => []);
  }

  paint(style: Style, text: string): string {
    return this.#color ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Columns of equal width; the last one is left as it is. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
    const widths = head.map((title, at) =>
      Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
    );
    const line = (row: readonly string[]): string =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]!)))
        .join('  ')
        .trimEnd();
    return [this.paint('bold', line(head)), ...rows.map(line)];
  }
}

import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LONGEST = 256 * 1024;
const COLUMNS = 80;

/** A server's serial console: what runs on it writes, and a file keeps it, as a console server would. */
export interface SerialConsole {
  readonly path: string;
  /** A line as programs print it; a terminal of 80 columns breaks it. */
  print(text: string): void;
  /** The firmware clears the screen, and writes at places of it. */
  clear(text: string): void;
}

export function serialConsole(dir: string): SerialConsole {
  const path = join(dir, 'console.log');
  mkdirSync(dir, { recursive: true });
  if (!existsSync(path)) writeFileSync(path, '');
  const write = (text: string): void => {
    if (statSync(path).size > LONGEST) writeFileSync(path, readFileSync(path).subarray(-LONGEST / 4));
    appendFileSync(path, text);
  };
  return {
    path,
    print: (text) => write(`${(text.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? []).join('\r\n')}\r\n`),
    clear: (text) => write(`\u001b[2J\u001b[01;01H\u001b[0m${text}\r\n`),
  };
}

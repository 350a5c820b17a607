import { fail } from '../errors/failure.ts';
import { firstWords } from '../whole-words.ts';

/** Command lines of our own that a host is asked with, by the names of their answers. None changes anything. */
export interface Questions {
  readonly [name: string]: string;
}

/** What a command said on its output, and its exit code. */
export interface Answer {
  readonly text: string;
  readonly exit: number;
}
export interface Answers {
  readonly [name: string]: Answer;
}

/**
 * Commands are found where root finds them; messages are English. `as_root` runs a command by root where that needs
 * no password, and as the user elsewhere. What root runs is not ended with the rest, since the user may not: it ends
 * by itself.
 */
const PRELUDE = [
  'export LC_ALL=C; PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; export PATH',
  'bounded=; ! command -v timeout >/dev/null || bounded="timeout -k 5 40"',
  'as_root() { if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then sudo -n $bounded "$@"; else "$@"; fi; }',
];

/** A script for `sh` that asks one after the other. Each reads the arguments of the script as its own. */
export const hostScript = (questions: Questions): string =>
  [
    ...PRELUDE,
    ...Object.entries(questions).map(
      ([name, command]) => `echo '@@ ${name}'\n(\n${command}\n) </dev/null; r=$?; echo; echo "@@= $r"`,
    ),
    'echo @@end',
  ].join('\n');

/** Reads what the script said. Throws HOST_ANSWER_INVALID where it did not come to its end. */
export function readAnswers(stdout: string, questions: Questions): Answers {
  const answers: { [name: string]: Answer } = {};
  let name: string | undefined;
  let lines: string[] = [];
  let ended = false;
  for (const line of stdout.split(/\r?\n/)) {
    const begin = /^@@ (\S+)$/.exec(line)?.[1];
    const exit = /^@@= (\d+)$/.exec(line)?.[1];
    if (begin !== undefined) [name, lines] = [begin, []];
    else if (exit !== undefined && name !== undefined) {
      answers[name] = { text: lines.join('\n').trim(), exit: Number(exit) };
      name = undefined;
    } else if (line === '@@end') ended = true;
    else lines.push(line);
  }
  const missing = Object.keys(questions).filter((each) => answers[each] === undefined);
  if (ended && missing.length === 0) return answers;
  throw fail(
    'HOST_ANSWER_INVALID',
    `It did not answer to the end: ${missing.length > 0 ? `nothing of ${missing.join(', ')}` : 'the last line is missing'}.`,
  );
}

/** The answer of a command that has to be there. Throws HOST_ANSWER_INVALID where the host lacks it. */
export function answered(answers: Answers, name: string, program: string): Answer {
  const answer = answers[name];
  if (answer === undefined || answer.exit === 127) {
    throw fail('HOST_ANSWER_INVALID', `It has no \`${program}\`.`, {
      correction: `Install \`${program}\` on the host.`,
    });
  }
  return answer;
}

/** An answer as JSON. Throws HOST_ANSWER_INVALID where it is none. */
export function answeredJson(answers: Answers, name: string, program: string): unknown {
  const { text, exit } = answered(answers, name, program);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw fail(
      'HOST_ANSWER_INVALID',
      `\`${program}\` does not say what is expected of it (exit code ${exit}): ${firstWords(text, 120) || 'nothing'}.`,
      { correction: `Run \`${program}\` on the host and look what is wrong with it.` },
    );
  }
}

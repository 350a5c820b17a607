import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../client/cli/program.ts';
import { CATALOGUE } from '../../core/errors/catalogue.ts';
import { parseNodeInput, parseVerb } from '../../core/messages.ts';
import { codeBlocks } from './code-blocks.ts';

const list = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(file));

const files = list('*.md');
const sources = list(
  'activities',
  'client',
  'workers',
  'scripts',
  'test/peers',
  'docker-compose.yml',
  'vitest.e2e.config.ts',
  '.ci/run',
)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** Command lines of the pages that call us, without prompt, comment and the variables before them. */
const lines = files.flatMap((file) =>
  codeBlocks(file, 'console')
    .flatMap((block) => block.split('\n'))
    .map(
      (line) =>
        /^\$ (?:[A-Z_]+=\S+ )*(?:docker-compose exec worker |npx )?rackwright (.*?)(?: +#.*| >.*)?$/.exec(
          line,
        )?.[1],
    )
    .filter((line) => line !== undefined)
    .map((line) => ({ file, line })),
);

/** What the command line has against the words; undefined if nothing. */
function wrong(words: readonly string[]): string | undefined {
  let command: Command = createProgram();
  const known = [...command.options];
  let rest = [...words];
  let values = 0;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word.startsWith('--')) {
      const option = known.find((each) => each.long === word);
      if (!option) return `${word} is no option of ${command.name()}`;
      if (option.required) rest = rest.slice(1);
    } else if (command.commands.length > 0) {
      const next = command.commands.find((each) => each.name() === word);
      if (!next) return `${word} is no command of ${command.name()}`;
      command = next;
      known.push(...next.options);
    } else {
      values += 1;
    }
  }
  const most = command.registeredArguments.length;
  const least = command.registeredArguments.filter((each) => each.required).length;
  return values >= least && values <= most ? undefined : `${command.name()} takes ${least} to ${most} values`;
}

describe('command lines in the documentation', () => {
  it('are found', () => {
    expect(lines.length).toBeGreaterThan(20);
  });

  it.each(lines)('$file: rackwright $line', ({ line }) => {
    expect(wrong(line.match(/"[^"]*"|\S+/g) ?? [])).toBeUndefined();
  });

  it.each(['node enrol NODE', 'node deploy NODE --picture x', 'node show', 'up --lab now'])(
    'would be found wrong: rackwright %s',
    (line) => {
      expect(wrong(line.split(' '))).toBeDefined();
    },
  );
});

describe('data in the documentation', () => {
  it.each(files)('%s: JSON and YAML can be read', (file) => {
    for (const block of codeBlocks(file, 'json')) expect(() => JSON.parse(block) as unknown).not.toThrow();
    for (const block of codeBlocks(file, 'yaml')) expect(() => parse(block) as unknown).not.toThrow();
  });

  it('of the Web UI is what the workflow takes', () => {
    const [start, reimage] = codeBlocks('docs/how-to/operate-from-the-web-ui.md', 'json').map(
      (block) => JSON.parse(block) as unknown,
    );
    expect(parseNodeInput(start)).toMatchObject({ ok: true });
    expect(parseVerb('reimage', reimage, () => 'r1')).toMatchObject({ ok: true });
  });
});

describe('names in the documentation', () => {
  const texts = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));

  it.each(texts)('$file: environment variables are read by something', ({ text }) => {
    const named = [...new Set(text.match(/\bRACKWRIGHT_[A-Z_]*[A-Z]\b/g))];
    expect(named.filter((name) => !sources.includes(name))).toEqual([]);
  });

  it.each(texts)('$file: codes are of the catalogue', ({ text }) => {
    const named = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+|BUSY)`/g)].map(([, name]) => name!);
    const codes = named.filter((name) => !/^(RACKWRIGHT|TEMPORAL|POSTGRES\w*|NO_COLOR)/.test(name));
    expect(codes.filter((name) => !Object.hasOwn(CATALOGUE, name))).toEqual([]);
  });

  it.each(texts)('$file: paths of the repository exist', ({ file, text }) => {
    const named = [
      ...text.matchAll(
        /`((?:core|contracts|workflows|activities|workers|client|lab|test|docs|examples|deploy|scripts)\/[\w./-]*)`/g,
      ),
    ];
    expect({ file, gone: named.map(([, path]) => path!).filter((path) => !existsSync(path)) }).toEqual({
      file,
      gone: [],
    });
  });
});

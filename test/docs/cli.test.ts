import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../client/cli/program.ts';

const PAGE = readFileSync('docs/reference/cli.md', 'utf8');

/** Every command that does something, by its words, with its options. */
function commands(command: Command, words: readonly string[]): { words: string; options: string[] }[] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  if (below.length > 0) return below.flatMap((each) => commands(each, [...words, each.name()]));
  return [{ words: words.join(' '), options: command.options.map((option) => option.long ?? option.short!) }];
}

const program = createProgram();
const all = commands(program, ['rackwright']);

describe('the reference of the command line', () => {
  it.each(all)('has `$words`', ({ words }) => {
    expect(PAGE).toMatch(new RegExp(`\`${words}[\` ]`));
  });

  it.each(all)('has the options of `$words`', ({ options }) => {
    for (const option of options) expect(PAGE).toContain(`\`${option}`);
  });

  it('has the options of all commands', () => {
    for (const option of program.options) expect(PAGE).toContain(`\`${option.long}`);
  });

  it('has no command that is not there', () => {
    const named = [...PAGE.matchAll(/`(rackwright [a-z ]+?)(?: [<[].*?)?`/g)].map(([, words]) =>
      words!.trim(),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((words) => !all.some((each) => each.words === words))).toEqual([]);
  });
});

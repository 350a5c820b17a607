import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BY_THE_PRODUCT, CASES, nameOf } from './cases.ts';
import { DISABLED, type Disabled } from './disabled.ts';

// Switches one handling after the other off, and plays the cases that need it: each of them has to fail.

const ROOT = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'rackwright-without-'));
const told: string[] = [];

interface Report {
  readonly crashed: boolean;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The names of the tests that need this handling. */
const testsOf = ({ row, cases }: Disabled): string[] =>
  cases === undefined
    ? CASES.filter(({ id }) => id === row).map(nameOf)
    : cases.map((what) => nameOf({ id: row, what }));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

async function play({ name, row, cases }: Disabled): Promise<Report> {
  const file = BY_THE_PRODUCT.includes(row) ? 'life' : 'field';
  const output = join(folder, `${name}.json`);
  const tests = testsOf({ name, row, cases } as Disabled).map(escaped);
  const args = ['run', '--config', 'vitest.e2e.config.ts', `test/field/${file}.test.ts`];
  const child = spawn(
    join(ROOT, 'node_modules', '.bin', 'vitest'),
    [...args, '-t', `(${tests.join('|')})$`, '--reporter=json', `--outputFile=${output}`],
    { cwd: ROOT, env: { ...process.env, RACKWRIGHT_WITHOUT: name }, stdio: 'ignore' },
  );
  const code = await new Promise((ended) => child.once('close', ended));
  return { crashed: code !== 0, ...(JSON.parse(readFileSync(output, 'utf8')) as Omit<Report, 'crashed'>) };
}

afterAll(() => {
  process.stdout.write(`\n${told.sort().join('\n')}\n`);
  rmSync(folder, { recursive: true, force: true });
});

describe.concurrent('without its handling fails', () => {
  it.each(DISABLED.map((each) => [each.name, each] as const))('%s', async (_name, entry) => {
    const { crashed, testResults } = await play(entry);
    const played = testResults.flatMap(({ assertionResults }) => assertionResults);
    const tests = testsOf(entry);
    const of = (test: string) => played.find(({ title }) => title === test);
    const failed = (test: string): boolean =>
      of(test)?.status === 'failed' || (entry.crashes === true && of(test) !== undefined && crashed);
    for (const test of tests) {
      const why = of(test)?.failureMessages[0]?.split('\n')[0]?.slice(0, 150);
      const how = failed(test) ? `fails: ${why ?? 'the process'}` : (of(test)?.status ?? 'was not played');
      told.push(`${entry.name.padEnd(12)} ${test.padEnd(90)} ${how}`);
    }
    expect(tests.filter((test) => !failed(test))).toEqual([]);
  });
});

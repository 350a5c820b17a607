import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../../core/acceptance/checks.ts';
import { code, table } from './markdown.ts';

/** What a test calls the data centre that is part of this project. */
const LAB = 'the lab';

/** Which checks have been shown failing, and where: what the tests of the folder declare, and hold themselves to. */
export function proofsPage(tests: string): string {
  const shown = new Map<string, Set<string>>();
  for (const { counterpart, checks } of declared(tests))
    for (const check of checks) shown.set(check, (shown.get(check) ?? new Set()).add(counterpart));
  const known = new Set(CHECKS.map(({ id }) => id));
  const unknown = [...shown.keys()].filter((check) => !known.has(check));
  if (unknown.length > 0) throw new Error(`shown failing, and no check: ${unknown.join(', ')}`);
  return [
    '# What the checks have been shown against',
    '',
    'A check that has never failed has shown nothing. For each: the systems on which a test has made exactly it fail, by a',
    'fault made there, and pass again. *Real* is what nobody of this project wrote. The table is made from what the tests',
    'themselves declare, and a test fails that does not show what it declares.',
    '[How to run those that need more than this machine](../explanation/testing.md).',
    '',
    table(
      ['gate', 'check', 'proof', 'real', 'lab'],
      CHECKS.map(({ gate, id }) => {
        const on = [...(shown.get(id) ?? [])].toSorted();
        const real = on.filter((each) => each !== LAB);
        return [
          String(gate),
          code(id),
          real.length > 0
            ? 'real counterpart'
            : on.length > 0
              ? 'in the lab only'
              : (NEVER_FAILS.get(id) ?? '**unproven**'),
          real.join(', ') || '–',
          on.includes(LAB) ? 'yes' : '–',
        ];
      }),
    ),
  ].join('\n');
}

/** Those that keep what there is: they pass, or are an error. */
const NEVER_FAILS = new Map([
  ['hardware-inventory', 'keeps evidence; finds nothing'],
  ['states-captured', 'keeps evidence; finds nothing'],
]);

const CALL = /shownFailing\(\s*'([^']+)',\s*\[([^\]]*)\]/g;

function declared(folder: string): { counterpart: string; checks: string[] }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(CALL)])
    .map(([, counterpart = '', list = '']) => ({
      counterpart,
      checks: [...list.matchAll(/'([^']+)'/g)].map(([, check = '']) => check),
    }));
}

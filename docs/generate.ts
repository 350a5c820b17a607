import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { errorsPage } from './pages/errors.ts';
import { gatesPage } from './pages/gates.ts';
import { inventorySchemaPage } from './pages/inventory-schema.ts';
import { labFaultsPage } from './pages/lab-faults.ts';
import { phasesPage } from './pages/phases.ts';
import { proofsPage } from './pages/proofs.ts';
import { quirksPage } from './pages/quirks.ts';
import { stepsPage } from './pages/steps.ts';
import { verbsPage } from './pages/verbs.ts';

/** The pages of the reference that are made from the code's own tables. */
const PAGES: { readonly [file: string]: () => string } = {
  'errors.md': errorsPage,
  'gates.md': gatesPage,
  'inventory-schema.md': inventorySchemaPage,
  'lab-faults.md': labFaultsPage,
  'phases.md': phasesPage,
  'proofs.md': () => proofsPage(join(root(), 'test')),
  'quirks.md': quirksPage,
  'steps.md': stepsPage,
  'verbs.md': verbsPage,
};

const MARK = '<!-- Made by `npm run docs`. Change the tables in the code, not this page. -->';

/** What each page has to be, by its file. */
const pages = (): { readonly file: string; readonly text: string }[] =>
  Object.entries(PAGES).map(([file, page]) => ({ file, text: `${MARK}\n\n${page().trim()}\n` }));

/** The pages that are not, in a folder, what the code makes them. */
const stalePages = (folder: string): string[] =>
  pages()
    .filter(({ file, text }) => read(join(folder, file)) !== text)
    .map(({ file }) => join(folder, file));

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The folder of the project, seen from the sources and from what is built of them. */
function root(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return here.endsWith(join('dist', 'docs')) ? join(here, '..', '..') : join(here, '..');
}

/** Writes the pages, or with `--check` tells which are stale. Answers the exit code. */
export function generate(args: readonly string[]): number {
  const options = { check: { type: 'boolean' }, folder: { type: 'string' } } as const;
  const { check, folder = join(root(), 'docs', 'reference') } = parseArgs({
    args: [...args],
    options,
  }).values;
  if (!check) {
    mkdirSync(folder, { recursive: true });
    for (const { file, text } of pages()) writeFileSync(join(folder, file), text);
    return 0;
  }
  const stale = stalePages(folder);
  for (const path of stale) console.error(`${path} is stale: run \`npm run docs\``);
  return stale.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = generate(process.argv.slice(2));

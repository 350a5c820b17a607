import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { crossCheck } from '../../contracts/inventory/cross-checks.ts';
import { fieldName, schemaFindings, type Finding } from '../../contracts/inventory/findings.ts';
import { Inventory } from '../../contracts/inventory/inventory.ts';
import { mapSecretPlaces } from '../../contracts/inventory/secret-places.ts';
import { fail } from '../../core/errors/failure.ts';
import { absolutePaths, checkFiles } from './files.ts';
import { mergeFiles } from './merge.ts';
import { Positions, type Position } from './positions.ts';
import { formatProblem, sortProblems, type InventoryProblem } from './problems.ts';
import { readYaml } from './yaml.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 1000;

export interface LoadOptions {
  /** Whether `exec:` references may stand in the inventory. They are never run by loading it. @default false */
  readonly allowExec?: boolean | undefined;
  /** `as-written` leaves relative paths as they are, to compare inventories. @default 'absolute' */
  readonly paths?: 'absolute' | 'as-written' | undefined;
}

export type LoadResult =
  | {
      readonly ok: true;
      readonly inventory: Inventory;
      readonly baseDir: string;
      readonly files: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly InventoryProblem[] };

const wholeFile = (file: string, message: string, correction: string): InventoryProblem => ({
  file,
  line: 1,
  column: 1,
  path: '',
  message,
  correction,
});

/** The files of an inventory: itself, or the YAML and JSON files of the folder by name. */
async function filesOf(path: string): Promise<{ files: string[]; baseDir: string }> {
  if (!(await stat(path)).isDirectory()) return { files: [path], baseDir: dirname(resolve(path)) };
  const names = (await readdir(path)).filter((name) => /^[^.].*\.(ya?ml|json)$/i.test(name)).sort();
  return { files: names.map((name) => join(path, name)), baseDir: resolve(path) };
}

async function readInventoryFile(file: string): Promise<string | InventoryProblem> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) {
      return wholeFile(file, 'is larger than 16 MiB', 'Split the inventory into several files of a folder.');
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    return error instanceof TypeError
      ? wholeFile(file, 'is not text in UTF-8', 'Save it as UTF-8.')
      : wholeFile(file, 'cannot be read', 'Correct the path or the permissions of the file.');
  }
}

/** References of the form `exec:` in fields that may hold one. */
function execReferences(value: unknown): Finding[] {
  const found: Finding[] = [];
  mapSecretPlaces(value, (text, path) => {
    if (text.startsWith('exec:')) {
      found.push({
        path,
        message: 'is an exec: reference, and these are not allowed here',
        correction: 'Use env:NAME or file:PATH, or allow them with --allow-exec.',
      });
    }
    return text;
  });
  return found;
}

/**
 * Checks the text of an inventory, given as one or more files. Nothing is run and no secret is read;
 * `baseDir` is where the files lie that it names.
 */
export async function checkInventory(
  sources: readonly { readonly file: string; readonly text: string }[],
  baseDir: string,
  options: LoadOptions = {},
): Promise<LoadResult> {
  const positions = new Positions();
  const read = sources.map(({ file, text }) => ({ file, ...readYaml(text, file, positions) }));
  const syntax = read.flatMap(({ problems }) => problems);
  const noMaps = read.filter(
    ({ value, problems }) =>
      problems.length === 0 && (typeof value !== 'object' || value === null || Array.isArray(value)),
  );
  syntax.push(
    ...noMaps.map(({ file }) =>
      wholeFile(file, 'holds no inventory', 'Begin it with `site:` and the name of the site.'),
    ),
  );
  if (syntax.length > 0) return { ok: false, problems: sortProblems(syntax) };

  const merged = mergeFiles(
    read.map(({ value }) => value),
    positions,
  );
  const parsed = Inventory.safeParse(merged.value, { reportInput: true });
  const findings = [
    ...(parsed.success ? [] : schemaFindings(parsed.error.issues)),
    ...crossCheck(merged.value),
    ...(options.allowExec === true ? [] : execReferences(merged.value)),
    ...(await checkFiles(merged.value, baseDir)),
  ];
  const start: Position = { file: sources[0]?.file ?? '', line: 1, column: 1 };
  const problems = [
    ...merged.problems,
    ...findings.map(({ path, atKey, message, correction }) => ({
      ...positions.locate(merged.value, path, start, atKey),
      path: fieldName(path),
      message,
      correction,
    })),
  ];
  if (!parsed.success || problems.length > 0) return { ok: false, problems: sortProblems(problems) };
  const inventory = options.paths === 'as-written' ? parsed.data : absolutePaths(parsed.data, baseDir);
  return { ok: true, inventory, baseDir, files: sources.map(({ file }) => file) };
}

/** Loads and checks an inventory: a YAML file, or a folder of them merged by name. Never throws. */
export async function loadInventory(path: string, options: LoadOptions = {}): Promise<LoadResult> {
  const one = (problem: InventoryProblem): LoadResult => ({ ok: false, problems: [problem] });
  const found = await filesOf(path).catch(() => undefined);
  if (found === undefined) return one(wholeFile(path, 'is not there', 'Correct the path of the inventory.'));
  const { files, baseDir } = found;
  if (files.length === 0 || files.length > MAX_FILES) {
    return one(wholeFile(path, `holds ${files.length} YAML files`, `Put 1 to ${MAX_FILES} of them there.`));
  }
  const sources: { file: string; text: string }[] = [];
  const problems: InventoryProblem[] = [];
  let bytes = 0;
  for (const file of files) {
    const text = await readInventoryFile(file);
    if (typeof text !== 'string') problems.push(text);
    else sources.push({ file, text });
    bytes += typeof text === 'string' ? text.length : 0;
    if (bytes > 2 * MAX_FILE_BYTES)
      return one(wholeFile(path, 'holds more than 32 MiB', 'Remove what is no inventory.'));
  }
  if (problems.length > 0) return { ok: false, problems };
  return checkInventory(sources, baseDir, options);
}

/** Loads an inventory that must be right. Throws CONTRACT_INVALID with the first errors, file and line. */
export async function requireInventory(path: string, options: LoadOptions = {}): Promise<Inventory> {
  const result = await loadInventory(path, options);
  if (result.ok) return result.inventory;
  const shown = result.problems.slice(0, 5).map(formatProblem);
  const more = result.problems.length - shown.length;
  throw fail('CONTRACT_INVALID', [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'));
}

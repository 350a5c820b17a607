import type { Command } from 'commander';
import type { LoadResult } from '../../../activities/inventory/load.ts';
import { formatProblem } from '../../../activities/inventory/problems.ts';
import { diffInventories, type Change } from '../../../contracts/inventory/diff.ts';
import { Context } from '../context.ts';
import { EXIT } from '../exit.ts';

/** `rackwright validate FILE` and `rackwright schema`: the contract, with nothing running. */
export function addValidateCommands(program: Command): void {
  program
    .command('validate <file>')
    .description('check an inventory: every error with file, line and field')
    .option('--diff <old>', 'show what changes from this inventory')
    .action((file: string, { diff }: { diff?: string }, command: Command) =>
      validate(new Context(command), file, diff),
    );
  program
    .command('schema')
    .description('the JSON Schema of an inventory')
    .option('--report', 'that of the report of an acceptance run')
    .action(async ({ report }: { report?: boolean }) => {
      const schema = report === true ? await reportSchema() : await inventorySchema();
      process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
    });
}

const inventorySchema = async (): Promise<object> =>
  (await import('../../../contracts/inventory/json-schema.ts')).inventorySchema();

const reportSchema = async (): Promise<object> =>
  (await import('../../../contracts/acceptance-report.ts')).acceptanceReportSchema();

async function validate(context: Context, file: string, old: string | undefined): Promise<void> {
  const { io, options } = context;
  const { loadInventory } = await import('../../../activities/inventory/load.ts');
  const allowExec = options.allowExec === true;
  const load = (path: string): Promise<LoadResult> =>
    loadInventory(path, { allowExec, ...(old === undefined ? {} : { paths: 'as-written' }) });
  const [loaded, before] = await Promise.all([load(file), old === undefined ? undefined : load(old)]);
  const problems = [loaded, before].flatMap((each) => (each?.ok === false ? each.problems : []));
  if (!loaded.ok || before?.ok === false) {
    io.answer({ valid: false, problems }, () => []);
    for (const problem of problems) io.note(formatProblem(problem));
    process.exitCode = EXIT.usage;
    return;
  }
  const { inventory } = loaded;
  const changes = before ? diffInventories(before.inventory, inventory) : undefined;
  const document = { valid: true, site: inventory.site, nodes: inventory.nodes.length };
  io.answer(changes ? { ...document, changes } : document, () => [
    ...(changes?.map(changeLine) ?? []),
    `${file} is valid: site ${inventory.site}, ${count(inventory.nodes.length, 'node')}` +
      (changes ? `, ${changes.length === 0 ? 'no change' : count(changes.length, 'change')}` : ''),
  ]);
}

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

const cut = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

function changeLine({ kind, path, before, after }: Change): string {
  const value = (each: unknown): string => cut(JSON.stringify(each));
  const what = kind === 'changed' ? `${value(before)} → ${value(after)}` : value(after ?? before);
  return `${SIGNS[kind]} ${path}: ${what}`;
}

import type { Command } from 'commander';
import { fail } from '../../../core/errors/failure.ts';
import { parseOperationWorkflowId } from '../../../core/names.ts';
import type { Rackwright } from '../../sdk/rackwright.ts';
import type { OperationRow } from '../../sdk/visibility.ts';
import { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { stepLine, verdictLines } from '../progress.ts';
import { watch } from '../run-verb.ts';
import { messageOf, withVerbOptions, type VerbOptions } from '../verbs.ts';

/** How far back a bare operation id is looked for. */
const SEARCH_LIMIT = 2000;

interface OpOptions extends VerbOptions {
  readonly node?: string;
  readonly running?: boolean;
  readonly limit?: string;
  readonly wait?: boolean;
}

/** `rackwright op …`: operations by their id (or `op/<site>/<node>/<id>`). */
export function addOperationCommands(program: Command): void {
  const op = program.command('op').description('operations');
  op.command('list')
    .description('operations, newest first')
    .option('--node <node>', 'of this node only')
    .option('--running', 'only those that run or are held')
    .option('--limit <count>', 'how many', '50')
    .action((options: OpOptions, command: Command) => list(new Context(command), options));
  const one = (name: string, text: string): Command =>
    op
      .command(`${name} <id>`)
      .description(text)
      .option('--node <node>', 'the node, so that it need not be looked for');
  one('show', 'steps, verdict and evidence').action((id: string, options: OpOptions, command: Command) =>
    show(new Context(command), id, options),
  );
  one('watch', 'follow it until it ends or is held').action(
    (id: string, options: OpOptions, command: Command) => {
      const context = new Context(command);
      return context.connected(async (rackwright) => {
        await watch(context, rackwright, await find(rackwright, id, options));
      });
    },
  );
  for (const verb of ['resume', 'abort'] as const) {
    withVerbOptions(
      one(verb, verb === 'resume' ? 'go on after a hold' : 'end it and make the node safe'),
      verb,
    )
      .option('--reason <text>', 'why, for the record')
      .option('--no-wait', 'return at once')
      .action((id: string, options: OpOptions, command: Command) =>
        control(new Context(command), verb, id, options),
      );
  }
}

async function list(context: Context, options: OpOptions): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
    throw fail('INVALID_MESSAGE', 'limit must be a whole number from 1 to 10000.');
  }
  const rows = await context.connected((rackwright) =>
    rackwright.operations({ node: options.node, running: options.running, limit }),
  );
  context.io.answer({ operations: rows }, () => operationTable(context.io, rows));
}

/** The table of `op list` and `node history`. */
export const operationTable = (io: Io, rows: readonly OperationRow[]): string[] =>
  rows.length === 0
    ? ['No operations.']
    : io.table(
        ['OPERATION', 'NODE', 'KIND', 'STATE', 'PHASE', 'FAULT DOMAIN', 'STARTED'],
        rows.map((row) => [
          row.operationId,
          row.node,
          row.kind ?? '-',
          row.outcome ?? (row.held ? 'held' : row.status),
          row.phase ?? '-',
          row.faultDomain ?? '-',
          row.startedAt,
        ]),
      );

async function show(context: Context, id: string, options: OpOptions): Promise<void> {
  const { io } = context;
  await context.connected(async (rackwright) => {
    const workflowId = await find(rackwright, id, options);
    const report = await rackwright.report(workflowId);
    io.answer({ workflowId, ...report }, () => [
      ...report.steps.map((step) => stepLine(io, step)),
      ...verdictLines(io, report),
      ...report.evidence.map((each) => `  evidence: ${each.id} (${each.name})`),
    ]);
  });
}

async function control(
  context: Context,
  verb: 'resume' | 'abort',
  id: string,
  options: OpOptions,
): Promise<void> {
  const message = messageOf(verb, undefined, options);
  await context.connected(async (rackwright) => {
    const workflowId = await find(rackwright, id, options);
    const before = await rackwright.report(workflowId);
    await rackwright.control(workflowId, verb, message);
    if (options.wait === false) {
      return context.io.answer({ workflowId, verb }, () => [`${verb} of ${id}: accepted`]);
    }
    await watch(context, rackwright, workflowId, { verb, before });
  });
}

/** The workflow of an operation that is named by its id, with or without its node. Throws OPERATION_UNKNOWN. */
export async function find(rackwright: Rackwright, id: string, options: OpOptions): Promise<string> {
  if (parseOperationWorkflowId(id)) return id;
  if (options.node !== undefined) return rackwright.operationId(options.node, id);
  const rows = await rackwright.operations({ limit: SEARCH_LIMIT });
  const found = rows.filter((row) => row.operationId === id);
  if (found.length > 1) {
    const nodes = found.map((row) => row.node).join(', ');
    throw fail('INVALID_MESSAGE', `Several nodes have an operation ${id} (${nodes}): add --node.`);
  }
  if (found[0]) return found[0].workflowId;
  throw fail('OPERATION_UNKNOWN', `Site ${rackwright.site} has no operation ${id}.`);
}

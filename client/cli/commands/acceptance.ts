import type { Command } from 'commander';
import { isGateNumber, type GateNumber } from '../../../core/acceptance/gates.ts';
import { parseAbort, parseAcceptanceInput, parseResume } from '../../../core/acceptance/messages.ts';
import type { AcceptanceReport } from '../../../core/acceptance/report.ts';
import { fail, RackwrightError, type Failure } from '../../../core/errors/failure.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AcceptanceRuns } from '../../sdk/acceptance.ts';
import { Context } from '../context.ts';
import { EXIT, exitOfReport } from '../exit.ts';
import { gatePrinter, runLines, runVerdict } from '../gates.ts';
import { addReportCommand } from './acceptance-report.ts';

interface Options {
  readonly gates?: string;
  readonly runId?: string;
  readonly from?: string;
  readonly of?: string;
  readonly onFailure?: string;
  readonly reason?: string;
  readonly running?: boolean;
  readonly limit?: string;
  readonly wait?: boolean;
}

/** `rackwright acceptance …`: the gates of a site. */
export function addAcceptanceCommands(program: Command): void {
  const acceptance = program.command('acceptance').description('the gates of a site');
  acceptance
    .command('run')
    .description('run the gates, and stop at the first that is not green')
    .option('--gates <numbers>', 'only these, as in 1,2 (else those of the contract, else all)')
    .option('--from <gate>', 'begin here, with the evidence of the run given with --of')
    .option('--of <run>', 'the run whose evidence is used for the gates before')
    .option('--on-failure <what>', 'hold (wait for resume or abort) or fail')
    .option('--run-id <id>', 'an id of your choice, which no run had')
    .option('--reason <text>', 'why, for the record')
    .option('--no-wait', 'return at once')
    .action((options: Options, command: Command) => run(new Context(command), options));
  acceptance
    .command('list')
    .description('runs, newest first')
    .option('--running', 'only those that run or are held')
    .option('--limit <count>', 'how many', '50')
    .action((options: Options, command: Command) => list(new Context(command), options));
  acceptance
    .command('show <run>')
    .description('gates, checks, findings, verdict')
    .action((id: string, _options: Options, command: Command) => show(new Context(command), id));
  acceptance
    .command('watch <run>')
    .description('follow it until it ends or is held')
    .action(async (id: string, _options: Options, command: Command) => {
      const context = new Context(command);
      await withRuns(context, (runs) => watch(context, runs, id));
    });
  acceptance
    .command('resume <run>')
    .description('run the gate that it is held at again, and go on')
    .option('--from <gate>', 'an earlier gate to begin at')
    .option('--reason <text>', 'why, for the record')
    .option('--no-wait', 'return at once')
    .action((id: string, { wait, ...options }: Options, command: Command) =>
      control(new Context(command), 'resume', id, checked(parseResume, fieldsOf(options)), wait),
    );
  acceptance
    .command('abort <run>')
    .description('end it')
    .option('--reason <text>', 'why, for the record')
    .option('--no-wait', 'return at once')
    .action((id: string, { wait, ...options }: Options, command: Command) =>
      control(new Context(command), 'abort', id, checked(parseAbort, fieldsOf(options)), wait),
    );
  addReportCommand(acceptance);
}

async function withRuns<T>(context: Context, use: (runs: AcceptanceRuns) => Promise<T>): Promise<T> {
  const { AcceptanceRuns } = await import('../../sdk/acceptance.ts');
  return context.connected(({ client, site }) => use(new AcceptanceRuns(client, site)));
}

/** Options as the message that they make; a gate is a number there. */
function fieldsOf({ gates, from, of, onFailure, reason }: Options): JsonObject {
  return {
    ...(gates === undefined ? {} : { gates: gates.split(',').map((each) => gateIn('gates', each)) }),
    ...(from === undefined ? {} : { from: gateIn('from', from) }),
    ...(of === undefined ? {} : { of }),
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function gateIn(field: string, text: string): GateNumber {
  const number = Number(text);
  if (isGateNumber(number)) return number;
  throw fail('INVALID_MESSAGE', `${field} must name gates by their numbers, 1 to 7.`);
}

function checked(
  parse: (input: unknown) => { ok: true } | { ok: false; failure: Failure },
  message: JsonObject,
): JsonObject {
  const parsed = parse(message);
  if (!parsed.ok) throw new RackwrightError(parsed.failure);
  return message;
}

async function run(context: Context, options: Options): Promise<void> {
  const site = await context.site();
  const { runId } = options;
  const parsed = parseAcceptanceInput(
    { site, ...(runId === undefined ? {} : { runId }), ...fieldsOf(options) },
    runId ?? 'anew',
  );
  if (!parsed.ok) throw new RackwrightError(parsed.failure);
  const { site: _site, runId: _runId, ...wish } = parsed.value;
  await withRuns(context, async (runs) => {
    const ticket = await runs.start({ ...wish, ...(runId === undefined ? {} : { runId }) });
    if (options.wait === false)
      return context.io.answer(ticket, () => [`acceptance of ${site}: ${ticket.runId}`]);
    await watch(context, runs, ticket.runId);
  });
}

async function list(context: Context, { running, limit: given }: Options): Promise<void> {
  const limit = Number(given);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
    throw fail('INVALID_MESSAGE', 'limit must be a whole number from 1 to 10000.');
  }
  const rows = await withRuns(context, (runs) => runs.list({ running: running === true, limit }));
  const { io } = context;
  io.answer({ runs: rows }, () =>
    rows.length === 0
      ? ['No runs.']
      : io.table(
          ['RUN', 'STATE', 'GATE', 'FAULT DOMAIN', 'STARTED', 'ENDED'],
          rows.map((row) => [
            row.runId,
            row.outcome ?? (row.held ? 'held' : row.status),
            row.gate ?? '-',
            row.faultDomain ?? '-',
            row.startedAt,
            row.endedAt ?? '-',
          ]),
        ),
  );
}

async function show(context: Context, id: string): Promise<void> {
  await withRuns(context, async (runs) => {
    const report = await runs.report(id);
    context.io.answer(report, () => [
      ...runLines(context.io, report),
      ...report.gates
        .flatMap(({ checks }) => checks.flatMap(({ evidence }) => evidence ?? []))
        .map((each) => `  evidence: ${each.id}`),
    ]);
  });
}

async function control(
  context: Context,
  verb: 'resume' | 'abort',
  id: string,
  message: JsonObject,
  wait: boolean | undefined,
): Promise<void> {
  await withRuns(context, async (runs) => {
    const before = await runs.report(id);
    await runs.control(id, verb, message);
    if (wait === false) return context.io.answer({ runId: id, verb }, () => [`${verb} of ${id}: accepted`]);
    const report = await watch(context, runs, id, before);
    // Whoever asked for the abort got what was asked for.
    if (verb === 'abort' && report.outcome === 'aborted') process.exitCode = EXIT.done;
  });
}

/** Follows a run to its end or its hold, prints the verdict, and sets the exit code. */
async function watch(
  context: Context,
  runs: AcceptanceRuns,
  id: string,
  before?: AcceptanceReport,
): Promise<AcceptanceReport> {
  const { io } = context;
  const report = await runs.follow(id, {
    before,
    onReport: gatePrinter(io, before),
    onSilence: (message) => io.note(`${message} It goes on when one does.`),
  });
  io.answer(report, () => runVerdict(io, report));
  process.exitCode = exitOfReport(report);
  return report;
}

import type { Command } from 'commander';
import type { ScheduleRow, Schedules } from '../../sdk/schedules.ts';
import { Context } from '../context.ts';
import type { Io } from '../io.ts';

interface Options {
  readonly reason?: string;
}

/** `rackwright schedule …`: when acceptance runs by itself. */
export function addScheduleCommands(program: Command): void {
  const schedule = program.command('schedule').description('when acceptance runs by itself');
  schedule
    .command('list')
    .description('the nightly schedule: when it runs next, and what it started')
    .action((_options: Options, command: Command) => list(new Context(command)));
  schedule
    .command('apply')
    .description('bring it to what the contract says; one that is paused stays so')
    .action((_options: Options, command: Command) => apply(new Context(command)));
  schedule
    .command('pause')
    .description('start no more runs; one that is under way goes on')
    .option('--reason <text>', 'why, for the record')
    .action(({ reason = 'paused by rackwright' }: Options, command: Command) =>
      change(new Context(command), 'paused', (schedules) => schedules.pause(reason)),
    );
  schedule
    .command('resume')
    .description('start runs again')
    .option('--reason <text>', 'why, for the record')
    .action(({ reason = 'resumed by rackwright' }: Options, command: Command) =>
      change(new Context(command), 'resumed', (schedules) => schedules.resume(reason)),
    );
  schedule
    .command('trigger')
    .description('start a nightly run now, also while it is paused')
    .action((_options: Options, command: Command) =>
      change(new Context(command), 'triggered', (schedules) => schedules.trigger()),
    );
}

async function withSchedules<T>(context: Context, use: (schedules: Schedules) => Promise<T>): Promise<T> {
  const { Schedules } = await import('../../sdk/schedules.ts');
  return context.connected(({ client, site }) => use(new Schedules(client, site)));
}

async function list(context: Context): Promise<void> {
  const { io } = context;
  const schedules = await withSchedules(context, (known) => known.list());
  io.answer({ schedules }, () =>
    schedules.length === 0
      ? ['No schedule. The contract has no `nightly`, or it was not applied: `rackwright schedule apply`.']
      : schedules.flatMap((row) => lines(io, row)),
  );
}

async function apply(context: Context): Promise<void> {
  const inventory = await context.requireInventory();
  await withSchedules(context, async (schedules) => {
    const applied = await schedules.apply(inventory);
    const [row] = await schedules.list();
    context.io.answer({ applied, schedule: row ?? null }, () => [
      applied === 'none'
        ? 'The contract has no `nightly`, and there is no schedule.'
        : `nightly schedule: ${applied}`,
      ...(row ? lines(context.io, row) : []),
    ]);
  });
}

async function change(
  context: Context,
  done: string,
  use: (schedules: Schedules) => Promise<ScheduleRow>,
): Promise<void> {
  const row = await withSchedules(context, use);
  context.io.answer({ done, schedule: row }, () => [`${row.schedule}: ${done}`, ...lines(context.io, row)]);
}

function lines(
  io: Io,
  { schedule, paused, note, next, started, skipped, missed, timeZone }: ScheduleRow,
): string[] {
  const state = paused
    ? io.paint('yellow', `paused${note ? ` (${note})` : ''}`)
    : io.paint('green', 'active');
  return [
    `${io.paint('bold', schedule)}: ${state}, ${timeZone}`,
    `  next: ${next.join(', ') || 'never'}`,
    ...started
      .slice(0, 5)
      .map((each) => `  started ${each.at}: ${each.workflowId}${each.running ? ' (under way)' : ''}`),
    ...(skipped > 0 ? [`  ${skipped} not started, since the run before was under way`] : []),
    ...(missed > 0 ? [`  ${missed} missed, since nothing ran at that time`] : []),
  ];
}

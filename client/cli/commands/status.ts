import type { Command } from 'commander';
import { dataDirPaths } from '../../../activities/datadir.ts';
import type { SiteStanding } from '../../../core/acceptance/standing.ts';
import { siteQueue, WORKFLOW_QUEUE } from '../../../core/names.ts';
import { newNode } from '../../../core/node.ts';
import type { Rackwright } from '../../sdk/rackwright.ts';
import { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../progress.ts';
import { seenLines } from './node.ts';
import { operationTable } from './op.ts';

/** Pollers that were seen this lately count. */
const FRESH_MS = 120_000;

/** `rackwright status`: what answers, how many nodes are where, and what is held. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('what runs, how many nodes are in which phase, what is held, and what was seen to change')
    .action((_options, command: Command) => status(new Context(command)));
}

async function status(context: Context): Promise<void> {
  const { io, running } = context;
  const { address, namespace } = await context.settings();
  await context.connected(async (rackwright) => {
    const { site } = rackwright;
    const [inventory, nodes, operations, workflows, activities, gateway] = await Promise.all([
      context.inventory(),
      rackwright.nodes(),
      rackwright.operations({ running: true, limit: 1000 }),
      polled(rackwright, WORKFLOW_QUEUE, 'TASK_QUEUE_TYPE_WORKFLOW'),
      polled(rackwright, siteQueue(site), 'TASK_QUEUE_TYPE_ACTIVITY'),
      running ? healthy(running.gatewayUrl) : null,
    ]);
    const standing = await gatesOf(context, site);
    const phases: Record<string, number> = {};
    const known = new Set(nodes.map((row) => row.node));
    const untouched = (inventory?.nodes ?? []).filter((node) => !known.has(node.name));
    const all = [...nodes, ...untouched.map((node) => newNode(site, node.name))];
    for (const { phase } of all) phases[phase] = (phases[phase] ?? 0) + 1;
    const worker = workflows && activities;
    const held = operations.filter((row) => row.held);
    const seen = nodes
      .filter((row) => row.running && (row.powerChange !== null || row.unreachable !== null))
      .map(({ node, powerChange, unreachable }) => ({ node, powerChange, unreachable }));
    const document = {
      site,
      temporal: { address, namespace, uiUrl: running?.uiUrl ?? null },
      worker,
      gateway: { url: running?.gatewayUrl ?? null, answers: gateway },
      phases,
      running: operations.length - held.length,
      held,
      seen,
      gates: standing.gates,
      verdict: standing.verdict,
      acceptanceRun: standing.running,
    };
    io.answer(document, () => [
      `site ${io.paint('bold', site)}`,
      `temporal ${address}, namespace ${namespace}: answers${running?.uiUrl ? ` (${running.uiUrl})` : ''}`,
      `worker: ${worker ? 'answers' : io.paint('red', 'none polls; start one with `rackwright worker`')}`,
      `gateway: ${gateway === null ? 'not started by `up` here' : gateway ? `answers (${running?.gatewayUrl})` : io.paint('red', 'silent')}`,
      `nodes: ${
        Object.entries(phases)
          .map(([phase, count]) => `${count} ${phase}`)
          .join(', ') || 'none'
      }`,
      `operations: ${operations.length - held.length} running, ${held.length} held`,
      ...(held.length > 0 ? operationTable(io, held) : []),
      ...gateLines(io, standing),
      ...seen.flatMap((row) => seenLines(row).map((line) => `${row.node}: ${line}`)),
    ]);
    if (!worker || gateway === false) process.exitCode = EXIT.error;
  });
}

/** How the gates stand, as the workers of this data directory keep it. */
async function gatesOf(context: Context, site: string): Promise<SiteStanding> {
  const { fileStandingStore } = await import('../../../activities/standing/standing-store.ts');
  return fileStandingStore(dataDirPaths(context.options.dataDir).standing).read(site);
}

const COLOURS = { pass: 'green', skipped: 'dim', fail: 'red', error: 'red' } as const;

/** `gates: 1 pass, 2 fail since 2026-03-01T10:00:00Z (kubernetes), …` */
function gateLines(io: Io, { gates, verdict, running }: SiteStanding): string[] {
  if (gates.length === 0 && running === null) return ['gates: none ran'];
  const words = gates.map(({ gate, outcome }) => `${gate} ${io.paint(COLOURS[outcome], outcome)}`);
  return [
    `gates: ${words.join(', ') || 'none ran'}${verdict ? `; verdict of the runs that are over: ${verdict.outcome} since ${verdict.at}` : ''}`,
    ...gates
      .filter(({ failure }) => failure !== undefined)
      .map(
        ({ gate, since, failure, runId }) =>
          `  gate ${gate} is not green since ${since} (${failure!.faultDomain}, run ${runId}): ${oneLine(failure!.message)}`,
      ),
    ...(running === null ? [] : [`  run ${running.runId} is under way or held since ${running.since}`]),
  ];
}

async function polled(
  { client }: Rackwright,
  name: string,
  taskQueueType: 'TASK_QUEUE_TYPE_WORKFLOW' | 'TASK_QUEUE_TYPE_ACTIVITY',
): Promise<boolean> {
  const types = { TASK_QUEUE_TYPE_WORKFLOW: 1, TASK_QUEUE_TYPE_ACTIVITY: 2 } as const;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: types[taskQueueType],
  });
  return (pollers ?? []).some(
    ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < FRESH_MS,
  );
}

/** Whether the gateway answers at all, whatever it says. */
async function healthy(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(3000) });
    return true;
  } catch {
    return false;
  }
}

import type { Command } from 'commander';
import { legalVerbs } from '../../../core/decide.ts';
import { fail } from '../../../core/errors/failure.ts';
import { isName, nodeWorkflowId, operationWorkflowId } from '../../../core/names.ts';
import { flagsOf, newNode, NO_OWNER, type NodeRecord, type SeenChange } from '../../../core/node.ts';
import { supportedVerbs } from '../../../core/plans/index.ts';
import { ALL_VERBS, VERBS, type Verb } from '../../../core/verbs.ts';
import type { Rackwright } from '../../sdk/rackwright.ts';
import type { NodeRow } from '../../sdk/visibility.ts';
import { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { failureLines } from '../progress.ts';
import { runVerb } from '../run-verb.ts';
import { VERB_COMMANDS, withCommonOptions, withVerbOptions, type VerbOptions } from '../verbs.ts';
import { operationTable } from './op.ts';

/** `rackwright node …`: what is known of nodes, and every verb. */
export function addNodeCommands(program: Command): void {
  const node = program.command('node').description('nodes, and every verb of a node');
  node
    .command('list')
    .description('all nodes of the inventory, and those that once were')
    .action((_options, command: Command) => listNodes(new Context(command)));
  node
    .command('show <node>')
    .description('everything that is known of a node')
    .action((name: string, _options, command: Command) => showNode(new Context(command), nodeName(name)));
  node
    .command('history <node>')
    .description('the operations of a node, newest first, and what was seen to change between them')
    .action((name: string, _options, command: Command) => history(new Context(command), nodeName(name)));
  for (const verb of ALL_VERBS) addVerb(node, verb);
}

function addVerb(node: Command, verb: Verb): void {
  const command = node.command(`${verb} <node>`).description(VERB_COMMANDS[verb].summary);
  withCommonOptions(withVerbOptions(command, verb));
  if (VERBS[verb].kind !== 'flag') command.option('--no-wait', 'return the ticket at once');
  const positional = VERB_COMMANDS[verb].argument !== undefined;
  command.action((name: string, ...rest: unknown[]) => {
    const value = positional ? (rest[0] as string | undefined) : undefined;
    const context = new Context(rest.at(-1) as Command);
    return runVerb(context, verb, nodeName(name), value, rest.at(-2) as VerbOptions);
  });
}

/** Throws INVALID_MESSAGE. */
export function nodeName(given: string): string {
  if (isName(given)) return given;
  throw fail('INVALID_MESSAGE', 'node must be a name such as "gpu-01".');
}

async function listNodes(context: Context): Promise<void> {
  const rows = await context.connected(async (rackwright) => {
    const inventory = await context.inventory();
    const known = await rackwright.nodes();
    const names = new Set(known.map((row) => row.node));
    const fresh = (inventory?.nodes ?? []).filter((each) => !names.has(each.name));
    const merged = [...known, ...fresh.map((each) => untouched(rackwright.site, each.name))];
    return merged.sort((a, b) => (a.node < b.node ? -1 : 1));
  });
  context.io.answer({ nodes: rows }, () =>
    rows.length === 0
      ? ['The inventory has no nodes.']
      : context.io.table(
          ['NODE', 'PHASE', 'POWER', 'OWNER', 'IMAGE', 'OPERATION', 'FLAGS'],
          rows.map((row) => [
            row.node,
            row.stopped ? `${row.phase} (stopped)` : row.phase,
            row.power ?? '-',
            row.owner ?? (row.image === null ? '-' : NO_OWNER),
            row.image ?? '-',
            row.operation === null ? '-' : `${row.kind ?? ''} ${row.operation}`.trim(),
            row.flags.join(', ') || '-',
          ]),
        ),
  );
}

/** A node that nothing was asked of yet: as its entity would begin. */
function untouched(site: string, node: string): NodeRow {
  const { phase, owner, image } = newNode(site, node);
  return {
    node,
    phase,
    flags: [],
    owner,
    operation: null,
    kind: null,
    image,
    power: null,
    health: null,
    powerChange: null,
    unreachable: null,
    workflowId: nodeWorkflowId(site, node),
    running: false,
    stopped: false,
  };
}

/** The node with the step that its operation is at: the node itself is told of phases only. */
async function withStep(rackwright: Rackwright, node: NodeRecord): Promise<NodeRecord> {
  const { operation } = node;
  if (operation === null || operation.held) return node;
  const workflowId = operationWorkflowId(node.site, node.node, operation.requestId);
  const report = await rackwright.report(workflowId).catch(() => undefined);
  const at = report?.steps.find(({ state }) => state === 'running' || state === 'waiting');
  return at === undefined ? node : { ...node, operation: { ...operation, step: at.id } };
}

async function showNode(context: Context, name: string): Promise<void> {
  const { io } = context;
  const { state, asked } = await context.connected(async (rackwright) => {
    const known = await rackwright.state(name);
    if (known) return { state: await withStep(rackwright, known), asked: true };
    const inventory = await context.inventory();
    const node = inventory?.nodes.find((each) => each.name === name);
    if (!node) throw fail('NODE_UNKNOWN', `Neither the inventory nor Temporal knows a node ${name}.`);
    const supports = supportedVerbs(node.driver);
    return { state: { ...newNode(rackwright.site, name), supports, retired: node.retired }, asked: false };
  });
  io.answer(state, () => {
    const { operation, lastFailure, residue } = state;
    const flags = flagsOf(state);
    return [
      `${io.paint('bold', name)}: ${state.phase}${flags.length > 0 ? ` [${flags.join(', ')}]` : ''}`,
      ...(asked ? [] : ['  nothing was asked of it yet; begin with enroll']),
      `  ${state.owner === null ? NO_OWNER : `owner: ${state.owner}`}   image: ${state.image ?? '-'}   power: ${state.power}   health: ${state.health}`,
      ...seenLines(state).map((line) => `  ${line}`),
      ...(operation
        ? [
            `  operation: ${operation.kind} ${operation.requestId}, ${operation.held ? 'held' : `step ${operation.step ?? '-'}`}`,
            ...(operation.failure ? failureLines(io, operation.failure) : []),
          ]
        : []),
      ...(residue.length > 0 ? [`  left behind: ${residue.join(', ')}`] : []),
      ...Object.entries(state.flags).flatMap(([flag, why]) => (why === null ? [] : [`  ${flag}: ${why}`])),
      ...(lastFailure ? failureLines(io, lastFailure) : []),
      `  legal now: ${legalVerbs(state).join(', ')}`,
    ];
  });
}

async function history(context: Context, node: string): Promise<void> {
  const { io } = context;
  const { operations, changes } = await context.connected(async (rackwright) => {
    // The list needs no worker; without one it goes without what the node itself remembers.
    const asked = rackwright.state(node).catch(() => undefined);
    const [rows, state] = await Promise.all([rackwright.operations({ node }), asked]);
    return { operations: rows, changes: state?.changes?.toReversed() ?? [] };
  });
  io.answer({ operations, changes }, () => [
    ...operationTable(io, operations),
    ...(changes.length === 0 ? [] : ['', 'Seen to change, by no operation:', ...changeTable(io, changes)]),
  ]);
}

const changeTable = (io: Io, changes: readonly SeenChange[]): string[] =>
  io.table(
    ['AT', 'WHAT', 'FROM', 'TO'],
    changes.map(({ at, what, from, to }) => [at, what, from, to]),
  );

/** What the watch saw of a node that somebody should know of. */
export function seenLines({
  powerChange,
  unreachable,
}: Pick<NodeRecord, 'powerChange' | 'unreachable'>): string[] {
  return [
    ...(powerChange
      ? [`power changed by someone else: ${powerChange.from} to ${powerChange.to}, seen ${powerChange.at}`]
      : []),
    ...(unreachable ? [`BMC cannot be read since ${unreachable.since}: ${unreachable.why}`] : []),
  ];
}

import { imageOf } from '../../contracts/inventory/effective.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { parseOperationWorkflowId } from '../../core/names.ts';
import type { OperationReport, Ticket } from '../../core/operations.ts';
import { VERBS, type Verb } from '../../core/verbs.ts';
import type { Rackwright } from '../sdk/rackwright.ts';
import type { Context } from './context.ts';
import { EXIT, exitOfReport } from './exit.ts';
import { progressPrinter, verdictLines } from './progress.ts';
import { sealFile, type Sealed } from './secrets.ts';
import { check, messageOf, type VerbOptions } from './verbs.ts';

/** Asks a node for a verb; then waits for the operation, unless `--no-wait`. */
export async function runVerb(
  context: Context,
  verb: Verb,
  node: string,
  positional: string | undefined,
  options: VerbOptions,
): Promise<void> {
  const message = messageOf(verb, positional, options);
  await checkImage(context, message['image']);
  await context.connected(async (rackwright) => {
    await checkKnown(context, rackwright, node);
    const before = VERBS[verb].kind === 'control' ? await heldReport(rackwright, node) : undefined;
    const { ticket, sealed } = await send(context, rackwright, node, verb, message, options['userData']);
    if (VERBS[verb].kind === 'flag' || options['wait'] === false) {
      return context.io.answer({ ...ticket, node, verb }, () => [ticketLine(verb, node, ticket)]);
    }
    const report = await watch(context, rackwright, ticket.workflowId, { verb, before });
    // Of a repetition of what was over already nobody else deletes it.
    if (report.outcome !== undefined) await sealed?.discard();
  });
}

const ticketLine = (verb: Verb, node: string, ticket: Ticket): string =>
  VERBS[verb].kind === 'flag' ? `${verb} of ${node}: done` : `${verb} of ${node}: ${ticket.operationId}`;

/** Sends the request; a secret file goes into the data directory first, and is deleted if that is refused. */
async function send(
  context: Context,
  rackwright: Rackwright,
  node: string,
  verb: Verb,
  message: JsonObject,
  userData: unknown,
): Promise<{ ticket: Ticket; sealed?: Sealed }> {
  if (typeof userData !== 'string') return { ticket: await rackwright.request(node, verb, message) };
  const { site } = rackwright;
  const requestId = String(message['requestId']);
  const sealed = await sealFile(context.options.dataDir, userData, { site, node, requestId });
  const full = { ...message, userData: sealed.reference };
  check(verb, full);
  try {
    return { ticket: await rackwright.request(node, verb, full), sealed };
  } catch (error) {
    // One that was there already belongs to an operation that may run.
    if (sealed.isNew && isRefusal(error)) await sealed.discard();
    throw error;
  }
}

/** Whether the node has said no. Where its answer was lost it may have said yes. */
const isRefusal = (error: unknown): boolean =>
  error instanceof RackwrightError && !UNANSWERED.includes(error.failure.code);
const UNANSWERED: readonly string[] = ['NOT_READY', 'UNEXPECTED', 'TEMPORAL_UNREACHABLE'];

/** A node that neither the inventory nor Temporal knows is a slip of the pen. Throws NODE_UNKNOWN. */
async function checkKnown(context: Context, rackwright: Rackwright, node: string): Promise<void> {
  const inventory = await context.inventory();
  if (inventory === undefined || inventory.nodes.some((each) => each.name === node)) return;
  if ((await rackwright.state(node)) !== undefined) return;
  throw fail('NODE_UNKNOWN', `The inventory of site ${inventory.site} has no node ${node}.`);
}

/** An image that the inventory lacks would only be held later, after the BMC was asked. Throws IMAGE_UNKNOWN. */
async function checkImage(context: Context, image: unknown): Promise<void> {
  if (typeof image !== 'string') return;
  const inventory = await context.inventory();
  if (inventory) imageOf(inventory, image);
}

async function heldReport(rackwright: Rackwright, node: string): Promise<OperationReport | undefined> {
  const state = await rackwright.state(node);
  if (!state?.operation) return undefined;
  return rackwright.report(rackwright.operationId(node, state.operation.requestId));
}

/** Follows an operation to its end or its hold, prints the verdict, and sets the exit code. */
export async function watch(
  context: Context,
  rackwright: Rackwright,
  workflowId: string,
  after: { readonly verb?: Verb; readonly before?: OperationReport | undefined } = {},
): Promise<OperationReport> {
  const { io } = context;
  const print = progressPrinter(io, '', after.before);
  const report = await rackwright.follow(workflowId, {
    before: after.before,
    onReport: print,
    onSilence: (message) => io.note(`${message} It goes on when one does.`),
  });
  io.answer({ workflowId, operationId: parseOperationWorkflowId(workflowId)?.requestId, ...report }, () =>
    verdictLines(io, report),
  );
  // Whoever asked for the abort got what was asked for.
  const asked = after.verb === 'abort' && report.outcome === 'aborted';
  process.exitCode = asked ? EXIT.done : exitOfReport(report);
  return report;
}

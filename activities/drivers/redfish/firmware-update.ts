import { basename } from 'node:path';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import { standingOf, type FirmwareStanding } from '../../../core/redfish/firmware.ts';
import { fileNotFetched } from '../../../core/redfish/firmware-task.ts';
import { mostSevere } from '../../../core/redfish/messages.ts';
import { gatewayUrlOf, imageUrl } from '../../agent/urls.ts';
import {
  answerDetails,
  codeOf,
  messagesOf,
  refusal,
  shownText,
  type RedfishResponse,
} from '../../redfish/errors.ts';
import { lookAtTask, taskOf } from '../../redfish/task.ts';
import type { UpdateEntry } from '../../redfish/update-journal.ts';
import { readInventory, startUpdate, type FirmwareInventory } from '../../redfish/update-service.ts';
import { serviceAtWork, updateTasks } from '../../redfish/update-tasks.ts';
import type { StepContext } from '../driver.ts';
import { compareWith, requireWindow, type BaselineComponent } from './baseline.ts';
import { AttemptMemory } from './boot-session.ts';
import { follow, QUIET_MS } from './firmware-follow.ts';
import { forget, later, MINUTE, note, recall, SECOND, type Updater } from './updater.ts';

/** A request without an answer that has no effect for this long was not carried out. */
const UNANSWERED_MS = 3 * MINUTE;
/** The same, of a BMC that lists no tasks: it is never proven, and somebody has to look. */
const BLIND_MS = 30 * MINUTE;

/** What a stretch of this operation has brought to its version: nothing is flashed twice because a read flipped. */
const brought = new AttemptMemory<{
  readonly of: string;
  readonly components: readonly string[];
}>();

/**
 * Brings components to the versions that are wanted, one after the other. Throws "not yet" while an update is
 * under way; what was asked of the BMC, and how far that has come, is in the journal.
 * @returns the inventory that shows all of the versions
 */
export async function bringAll(
  updater: Updater,
  components: readonly BaselineComponent[],
): Promise<FirmwareInventory> {
  const { bmc, service } = updater;
  const entry = await recall(updater);
  const begun = components.find(
    ({ component, version }) => component === entry?.component && version === entry.version,
  );
  if (begun !== undefined) await carryOn(updater, begun);
  else if (entry !== undefined) await endOther(updater, entry);
  for (;;) {
    const inventory = await readInventory(bmc, service);
    const next = compareWith(components, inventory).find(({ standing }) => standing.differing.length > 0);
    if (next === undefined) {
      brought.forget(updater.context);
      return inventory;
    }
    const { wanted, standing } = next;
    if (broughtBy(updater).includes(wanted.component)) {
      throw later(`${wanted.component} has shown ${wanted.version}, and does not any more`);
    }
    await begin(updater, wanted, standing);
    await carryOn(updater, wanted);
  }
}

function broughtBy(updater: Updater): readonly string[] {
  const known = brought.get(updater.context);
  return known?.of === stretchAt(updater) ? known.components : [];
}

/** A resume begins anew: whoever sent it has looked. */
const stretchAt = ({ bmc, context }: Updater): string => `${bmc.origin} ${stretchOf(context)}`;

const stretchOf = ({ input }: StepContext): number => input.stretch ?? 1;

/** Goes on with the update that is in the journal, until the inventory shows the version. */
async function carryOn(updater: Updater, wanted: BaselineComponent): Promise<void> {
  for (;;) {
    const entry = await recall(updater);
    if (entry?.stage === 'asking') await adopt(updater, entry);
    // A request that is proven to have had no effect is forgotten.
    else if (entry === undefined) return;
    else if (await follow(updater, wanted, entry)) break;
  }
  const components = [...broughtBy(updater), wanted.component];
  brought.set(updater.context, { of: stretchAt(updater), components });
}

/**
 * An update that an earlier operation began, and that this one does not want, ends before another begins. One that
 * nothing tells of is given its time, and what became of a request without an answer is found out first.
 */
async function endOther(updater: Updater, entry: UpdateEntry): Promise<void> {
  if (entry.stage === 'asking') {
    await adopt(updater, entry);
    const adopted = await recall(updater);
    return adopted === undefined ? undefined : endOther(updater, adopted);
  }
  const running =
    entry.task === null
      ? entry.stage === 'asked' && Date.now() - entry.askedAt < QUIET_MS
      : (await lookAtTask(updater.bmc, entry.task)).state === 'running';
  if (running) {
    throw fail(
      'FIRMWARE_BUSY',
      `The update of ${entry.component} to ${entry.version}, begun by ${entry.requestId}, is still at work.`,
      {},
      { retryAfterMs: 15 * SECOND },
    );
  }
  await forget(updater);
}

/** Asks for the update, unless another one is at work. The journal knows of it before the BMC does. */
async function begin(updater: Updater, wanted: BaselineComponent, standing: FirmwareStanding): Promise<void> {
  const { context, bmc, system, service } = updater;
  requireWindow(context, wanted);
  const tasks = await updateTasks(bmc, system);
  const busy = tasks?.find(({ active }) => active)?.name ?? serviceAtWork(service);
  if (busy !== undefined) {
    throw fail(
      'FIRMWARE_BUSY',
      `The BMC is at work on another update: ${shownText(busy)}.`,
      {},
      { retryAfterMs: 15 * SECOND },
    );
  }
  const { ref } = context.input;
  const image = imageOf(context, wanted);
  const now = Date.now();
  const entry = await note(updater, {
    component: wanted.component,
    version: wanted.version,
    requestId: ref.requestId,
    stretch: stretchOf(context),
    stage: 'asking',
    askedAt: now,
    before: (tasks ?? []).map(({ uri }) => uri),
    task: null,
    look: null,
    lookSince: now,
    endedAt: null,
    restartedAt: null,
    logins: 0,
  });
  let answer: RedfishResponse;
  try {
    answer = await startUpdate(bmc, service, {
      image,
      targets: standing.differing.map(({ uri }) => uri),
      applyTime: standing.kind === 'bmc' ? 'Immediate' : 'OnReset',
    });
  } catch (error) {
    const never = error instanceof RackwrightError && NEVER_ASKED.has(error.failure.code);
    if (never) await forget(updater);
    throw error;
  }
  if (answer.status < 400) {
    await note(updater, entry, { stage: 'asked', task: taskOf(answer) });
    return;
  }
  // What a server's own trouble did or did not do is found out by its effect.
  if (answer.status >= 500 && answer.status !== 501 && answer.status !== 503)
    throw refusal(answer, 'Asking for the update');
  await forget(updater);
  throw refused(answer, wanted);
}

/** Failures after which nothing can have been asked of the BMC. */
const NEVER_ASKED: ReadonlySet<string> = new Set([
  'BMC_UNREACHABLE',
  'NOT_SUPPORTED',
  'BMC_AUTH_FAILED',
  'BMC_FOREIGN_ORIGIN',
]);

function imageOf(context: StepContext, { component, url, file }: BaselineComponent): string {
  if (url !== undefined) return url;
  if (file === undefined) {
    throw fail('FIRMWARE_FILE_MISSING', `The baseline has no file for ${component}, whose version differs.`);
  }
  const { inventory, site, input } = context;
  const door = { tokens: site.tokens, gatewayUrl: gatewayUrlOf(inventory, 'bmc') };
  return imageUrl(door, input.ref, input.window, basename(file));
}

function refused(answer: RedfishResponse, { component }: BaselineComponent): Error {
  const code = codeOf(answer);
  const what = `Asking for the update of ${component}`;
  if (code === 'BMC_CONFLICT' || code === 'BMC_STATE_REFUSED') return refusal(answer, what, 'FIRMWARE_BUSY');
  if (code !== 'BMC_REFUSED' && code !== 'BMC_NOT_FOUND') return refusal(answer, what);
  const messages = messagesOf(answer);
  const text = mostSevere(messages)?.text;
  return fail(
    'FIRMWARE_UPDATE_FAILED',
    `${what}: the BMC answered ${answer.status}${text ? `: ${shownText(text)}` : ''}`,
    {
      details: answerDetails(answer),
      ...(fileNotFetched(messages) ? { faultDomain: 'media-publisher' } : {}),
    },
  );
}

/**
 * Finds out what became of a request that was not answered: a task that was not there before is its effect.
 * It is asked for again only if it is proven to have had none.
 */
async function adopt(updater: Updater, entry: UpdateEntry): Promise<void> {
  const { context, bmc, system, service } = updater;
  const tasks = await updateTasks(bmc, system);
  const ours = tasks?.findLast(({ uri }) => !entry.before.includes(uri));
  if (ours !== undefined) return void (await note(updater, entry, { stage: 'asked', task: ours.uri }));
  const { entries } = await readInventory(bmc, service);
  const wanted = { component: entry.component, version: entry.version };
  if (standingOf(wanted, entries)?.differing.length === 0) {
    return void (await note(updater, entry, { stage: 'asked' }));
  }
  const age = Date.now() - entry.askedAt;
  const blind = tasks === null;
  if (age < (blind ? BLIND_MS : UNANSWERED_MS)) {
    throw later(
      `the BMC did not answer when it was asked to update ${entry.component}; its effect is waited for`,
      10 * SECOND,
    );
  }
  if (blind && stretchOf(context) <= entry.stretch) {
    throw fail(
      'FIRMWARE_UNCERTAIN',
      `Whether the BMC works on the update of ${entry.component} cannot be told.`,
    );
  }
  await forget(updater);
}

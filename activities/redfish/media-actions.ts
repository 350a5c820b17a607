import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import type { Convergence } from '../../core/redfish/convergence.ts';
import {
  INSERT_PARAMETERS,
  insertBody,
  isOccupied,
  saysNotFetched,
  shownUrl,
  type InsertParameter,
  type MediaAsked,
  type MediaSlot,
} from '../../core/redfish/media.ts';
import { anyMessage, mostSevere, namedProperties } from '../../core/redfish/messages.ts';
import { codeOf, messagesOf, refusal, shownText, withoutSecrets, type RedfishResponse } from './errors.ts';
import { watch, type MediaOptions } from './media-drives.ts';
import { writeMatching } from './patch.ts';
import type { SystemFound } from './service.ts';
import { followTask, taskFailure } from './task.ts';
import type { Bmc } from './transport.ts';

/** What came of asking one drive: accepted (perhaps as a task), not this drive, or not now. */
export type InsertResult =
  | { readonly state: 'accepted'; readonly task: string | null }
  | { readonly state: 'next'; readonly error: RackwrightError }
  | { readonly state: 'wait'; readonly look: Extract<Convergence<MediaAsked>, { state: 'pending' }> };

/** Asks one drive to take the image: `Image` alone first, then with what an error names, each at most once. */
export async function insert(
  bmc: Bmc,
  system: SystemFound,
  slot: MediaSlot,
  url: string,
  options: MediaOptions,
): Promise<InsertResult> {
  const { insertMs = 50_000 } = options;
  const parameters = new Set<InsertParameter>([
    ...(system.quirks.insertWith ?? []),
    ...bmc.memory.insertWith,
  ]);
  const learned: InsertParameter[] = [];
  for (;;) {
    const body = insertBody(url, [...parameters], options.credentials);
    const sent = await write(bmc, slot, slot.insertTarget, body, insertMs);
    const answer = withoutSecrets(sent, [pathOf(url), options.credentials?.password]);
    if (answer.status < 400) {
      for (const parameter of learned) bmc.memory.insertWith.add(parameter);
      return follow(bmc, answer, url, options);
    }
    throwIfNotFetched(answer, url);
    if (answer.status === 400 || answer.status === 422) {
      const named = namedProperties(messagesOf(answer), INSERT_PARAMETERS);
      const missing = named.filter((name): name is InsertParameter => !(name in body));
      const unwanted = named.filter((name) => name in body && !learned.includes(name as InsertParameter));
      for (const name of missing as InsertParameter[]) {
        parameters.add(name);
        learned.push(name);
      }
      for (const name of missing.length > 0 ? [] : unwanted) parameters.delete(name as InsertParameter);
      const next = Object.keys(insertBody(url, [...parameters], options.credentials));
      if (next.length !== Object.keys(body).length) continue;
    }
    return refusedBy(answer, slot);
  }
}

const pathOf = (url: string): string | undefined => {
  try {
    return new URL(url).pathname;
  } catch {
    return undefined;
  }
};

/** An insert that became a task is followed for a while; a failure says whose it is. */
async function follow(
  bmc: Bmc,
  answer: RedfishResponse,
  url: string,
  options: MediaOptions,
): Promise<InsertResult> {
  const task = await followTask(bmc, answer, {
    waitMs: options.watchMs ?? 5_000,
    pollMs: options.pollMs ?? 500,
  });
  if (task.state !== 'failed') return { state: 'accepted', task: task.state === 'running' ? task.uri : null };
  const failure = taskFailure(task, `Inserting ${shownUrl(url)}`);
  if (!saysNotFetched(task.messages)) throw failure;
  throw fail('MEDIA_FETCH_FAILED', failure.message, { details: failure.failure.details ?? {} });
}

/** Statuses that are about the action or the account, whatever the text says. */
const ABOUT_THE_ACTION = new Set([401, 403, 404, 405, 428]);

function throwIfNotFetched(answer: RedfishResponse, url: string): void {
  const messages = messagesOf(answer);
  if (ABOUT_THE_ACTION.has(answer.status) || !saysNotFetched(messages)) return;
  const text = mostSevere(messages)?.text ?? '';
  throw fail('MEDIA_FETCH_FAILED', `The BMC could not fetch ${shownUrl(url)}: ${shownText(text)}`, {
    details: { method: answer.method, url: answer.url, status: answer.status },
  });
}

function refusedBy(answer: RedfishResponse, slot: MediaSlot): InsertResult {
  const code = codeOf(answer);
  const error = refusal(answer, `Inserting into ${slot.uri}`);
  if (code === 'BMC_CONFLICT' || code === 'BMC_STATE_REFUSED') {
    const retryAfterMs = error.retryAfterMs ?? 10_000;
    return {
      state: 'wait',
      look: { state: 'pending', retryAfterMs, code, why: error.message, asked: undefined },
    };
  }
  if (code === 'BMC_REFUSED' || code === 'BMC_NOT_FOUND' || code === 'BMC_INTERNAL_ERROR') {
    return { state: 'next', error };
  }
  throw error;
}

/** A drive that says so is empty, and what it still shows is old. */
const EMPTY =
  /NoMedia|no (virtual )?(media|image|disc)|(media|image)\b[^.]{0,30}\bnot (inserted|attached|mounted|present)/i;
const saysEmpty = (answer: RedfishResponse): boolean =>
  !ABOUT_THE_ACTION.has(answer.status) && anyMessage(messagesOf(answer), EMPTY);

/** Ejects, and returns how the drive reads afterwards. An error counts only if something is still in it. */
export async function eject(bmc: Bmc, slot: MediaSlot, options: MediaOptions): Promise<MediaSlot> {
  const asked = bmc.memory.ejects.get(slot.uri);
  const { patienceMs = 45_000 } = options;
  let answer: RedfishResponse | undefined;
  if (asked === undefined || Date.now() - asked > patienceMs / 3) {
    const body = slot.ejectTarget === null ? { Image: null, Inserted: false } : {};
    answer = await write(bmc, slot, slot.ejectTarget, body, options.insertMs ?? 50_000);
    if (answer.status === 400 && slot.ejectTarget === null) {
      answer = await write(bmc, slot, null, { Image: null }, options.insertMs ?? 50_000);
    }
    if (answer.status < 400 || saysEmpty(answer)) bmc.memory.ejects.set(slot.uri, Date.now());
  }
  const refused = answer !== undefined && answer.status >= 400 && !saysEmpty(answer);
  const now = await watch(bmc, slot, (s) => !isOccupied(s), refused ? { ...options, watchMs: 0 } : options);
  if (!isOccupied(now)) bmc.memory.ejects.delete(slot.uri);
  else if (refused) {
    const code = codeOf(answer!);
    if (code !== 'BMC_CONFLICT' && code !== 'BMC_STATE_REFUSED') {
      throw refusal(answer!, `Ejecting from ${slot.uri}`, code === 'BMC_REFUSED' ? 'MEDIA_REFUSED' : code);
    }
  }
  return now;
}

/** The action, or a PATCH of the drive where it has none; with If-Match where the BMC insists. */
function write(
  bmc: Bmc,
  slot: MediaSlot,
  target: string | null,
  body: { readonly [key: string]: unknown },
  requestMs: number,
): Promise<RedfishResponse> {
  const options = { body, requestMs, ...(target === null ? {} : { target }) };
  return writeMatching(bmc, target === null ? 'PATCH' : 'POST', slot.uri, options);
}

import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { Convergence } from '../../core/redfish/convergence.ts';
import {
  fileName,
  holds,
  insertCandidates,
  isOccupied,
  isOurs,
  readSlot,
  saysNotFetched,
  shownUrl,
  takesCd,
  type MediaAsked,
  type MediaSlot,
  type Ours,
} from '../../core/redfish/media.ts';
import { eject, insert } from './media-actions.ts';
import { listMedia, oursOn, watch, type MediaOptions } from './media-drives.ts';
import { readResource, type SystemFound } from './service.ts';
import { lookAtTask, taskFailure } from './task.ts';
import type { Bmc } from './transport.ts';

/** One look at "this image is in a virtual CD drive": reached only when the BMC itself shows it as inserted. */
export async function convergeMedia(
  bmc: Bmc,
  system: SystemFound,
  url: string,
  options: MediaOptions,
): Promise<Convergence<MediaAsked>> {
  const { patienceMs = 45_000, retryAfterMs = 3_000 } = options;
  const remembered = options.asked ?? bmc.memory.media.get(system.uri);
  let asked = remembered?.url === url ? remembered : undefined;
  const slots = await listMedia(bmc, system);
  // What a drive shows after an accepted eject is old, also where it is the very URL.
  const holder = slots.find((slot) => holds(slot, url) && !bmc.memory.ejects.has(slot.uri));
  if (holder !== undefined) return inserted(bmc, system, holder, url, asked !== undefined);
  const pending = (why: string, by: MediaAsked | undefined = asked): Convergence<MediaAsked> => ({
    state: 'pending',
    retryAfterMs,
    code: 'MEDIA_NOT_INSERTED',
    why,
    asked: by,
  });

  if (asked !== undefined && asked.slot !== '') {
    if (asked.task !== null) {
      const task = await lookAtTask(bmc, asked.task);
      if (task.state === 'failed') {
        bmc.memory.media.delete(system.uri);
        if (saysNotFetched(task.messages)) throw fetchFailed(url, taskFailure(task, 'Inserting').message);
        throw taskFailure(task, `Inserting ${shownUrl(url)}`);
      }
      if (task.state === 'running' && Date.now() - asked.at < patienceMs * 4) {
        return pending(`the task ${asked.task} is ${task.taskState ?? 'running'}`);
      }
    }
    const age = Date.now() - asked.at;
    if (age < patienceMs)
      return pending(`${asked.slot} accepted the image ${Math.round(age / 1000)} s ago and does not show it`);
    bmc.memory.deadDrives.add(asked.slot);
    asked = { ...asked, slot: '', dead: [...asked.dead, asked.slot] };
  }

  const dead = asked?.dead ?? [];
  const ranked = insertCandidates(slots, url, oursOn(bmc, options), dead);
  const known = (slot: MediaSlot): boolean => bmc.memory.deadDrives.has(slot.uri);
  const candidates = [...ranked.filter((slot) => !known(slot)), ...ranked.filter(known)];
  const tried: string[] = [];
  let stuck: string | undefined;
  let passing: RackwrightError | undefined;
  for (const slot of candidates) {
    if ((isOccupied(slot) || slot.inserted === true) && isOccupied(await eject(bmc, slot, options))) {
      stuck = `${slot.uri} still shows an earlier image after the eject`;
      continue;
    }
    const asking = { slot: slot.uri, url, at: Date.now(), task: null, dead };
    bmc.memory.media.set(system.uri, asking);
    bmc.memory.mediaNames.add(fileName(url));
    const result = await insert(bmc, system, slot, url, options).catch((error: unknown) => {
      // A request that broke after it was sent may have been carried out: it stays remembered.
      if (!isLost(error)) bmc.memory.media.delete(system.uri);
      throw error;
    });
    if (result.state !== 'accepted') bmc.memory.media.delete(system.uri);
    if (result.state === 'next') {
      tried.push(result.error.message);
      if (result.error.failure.code === 'BMC_INTERNAL_ERROR') passing = result.error;
      continue;
    }
    if (result.state === 'wait') return { ...result.look, asked };
    bmc.memory.ejects.delete(slot.uri);
    asked = { ...asking, task: result.task };
    bmc.memory.media.set(system.uri, asked);
    const now = await watch(bmc, slot, (s) => holds(s, url), options);
    if (holds(now, url)) return inserted(bmc, system, now, url, true);
    return pending(`${slot.uri} accepted the image and does not show it yet`, asked);
  }
  if (stuck !== undefined)
    return { state: 'pending', retryAfterMs, code: 'MEDIA_NOT_EJECTED', why: stuck, asked };
  bmc.memory.media.delete(system.uri);
  if (passing !== undefined) throw passing;
  throw noDrive(slots, dead, tried, url, oursOn(bmc, options));
}

/** One look at "nothing of ours is inserted", or with `all`, "nothing is inserted". */
export async function convergeNoMedia(
  bmc: Bmc,
  system: SystemFound,
  options: MediaOptions & { readonly all?: boolean },
): Promise<Convergence> {
  const ours = oursOn(bmc, options);
  const leaving = (slot: MediaSlot): boolean =>
    isOccupied(slot) && (options.all === true || isOurs(slot, ours.prefixes, ours.names));
  bmc.memory.media.delete(system.uri);
  const slots = (await listMedia(bmc, system)).filter(leaving);
  const left: string[] = [];
  for (const [i, slot] of slots.entries()) {
    // The same drive may be shown under the system and under its manager: after an eject, the other is read again.
    const current =
      i === 0 ? slot : readSlot(slot.uri, slot.under, (await readResource(bmc, slot.uri)).body, slot.etag);
    if (leaving(current) && isOccupied(await eject(bmc, current, options))) left.push(slot.uri);
  }
  if (left.length === 0) {
    return { state: 'reached', changed: slots.length > 0, what: 'no virtual media is inserted' };
  }
  const { retryAfterMs = 3_000 } = options;
  const why = `${left.join(', ')} still shows an image after the eject`;
  return { state: 'pending', retryAfterMs, code: 'MEDIA_NOT_EJECTED', why, asked: undefined };
}

function inserted(
  bmc: Bmc,
  system: SystemFound,
  slot: MediaSlot,
  url: string,
  changed: boolean,
): Convergence<MediaAsked> {
  bmc.memory.media.delete(system.uri);
  bmc.memory.deadDrives.delete(slot.uri);
  return { state: 'reached', changed, what: `${fileName(url)} is inserted in ${slot.uri}` };
}

const isLost = (error: unknown): boolean =>
  error instanceof RackwrightError && error.failure.code === 'BMC_CONNECTION_LOST';

const fetchFailed = (url: string, said: string): Error =>
  fail('MEDIA_FETCH_FAILED', `The BMC could not fetch ${shownUrl(url)}. ${said}`);

/** Why no drive took the image: there is none, all hold other people's images, or each refused. */
function noDrive(
  slots: readonly MediaSlot[],
  dead: readonly string[],
  tried: readonly string[],
  url: string,
  ours: Ours,
): Error {
  const reasons = [...dead.map((uri) => `${uri} accepted the image and never showed it`), ...tried];
  if (reasons.length > 0) {
    return fail('MEDIA_REFUSED', `No virtual drive took ${shownUrl(url)}: ${reasons.join('; ')}.`, {
      details: { reasons: [...reasons] },
    });
  }
  const foreign = slots.filter(
    (slot) => takesCd(slot) && isOccupied(slot) && !isOurs(slot, ours.prefixes, ours.names),
  );
  if (foreign.length > 0) {
    const images = foreign.map(
      (slot) => `${slot.uri} holds ${shownUrl(slot.image ?? slot.imageName ?? 'an unnamed image')}`,
    );
    return fail(
      'MEDIA_TAKEN',
      `Every virtual CD drive holds an image that is not ours: ${images.join('; ')}.`,
      {
        details: { drives: images },
      },
    );
  }
  const drives = slots.map((slot) => `${slot.uri} (${slot.mediaTypes.join('/') || 'no media types'})`);
  return fail(
    'MEDIA_UNSUPPORTED',
    drives.length === 0
      ? 'The BMC shows no virtual media.'
      : `None of the virtual drives takes a CD image: ${drives.join(', ')}.`,
    { details: { drives } },
  );
}

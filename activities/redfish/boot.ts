import { fail } from '../../core/errors/failure.ts';
import {
  clearingPatches,
  isCleared,
  offeredTarget,
  overridePatch,
  overrides,
  readBoot,
  settingsObject,
  shownBoot,
  shows,
  type BootMode,
  type BootPatch,
  type BootReading,
  type BootTarget,
} from '../../core/redfish/boot.ts';
import type { Convergence } from '../../core/redfish/convergence.ts';
import { namedProperties } from '../../core/redfish/messages.ts';
import { bareUri } from '../../core/redfish/read.ts';
import { codeOf, messagesOf, refusal, type RedfishResponse } from './errors.ts';
import { writeMatching } from './patch.ts';
import { readResource, tryResource, type Resource, type SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

export interface BootOptions {
  /** The system as it was read a moment ago, with nothing written since. @default it is read */
  readonly seen?: Resource;
  /** Written only if the BMC shows a mode and shows another one. */
  readonly mode?: BootMode;
  /** How long one look watches for the effect of its own write. @default 5000 */
  readonly watchMs?: number;
  /** The pause between two reads. @default 500 */
  readonly pollMs?: number;
  /** When to look again. @default 5000 */
  readonly retryAfterMs?: number;
}

/** The boot override as the system shows it now. */
export async function readBootOverride(bmc: Bmc, systemUri: string): Promise<BootReading> {
  return readBoot((await readResource(bmc, systemUri)).body);
}

/** One look at "the next boot comes from this source, once". It counts when it reads so twice in a row. */
export async function convergeBootOnce(
  bmc: Bmc,
  system: SystemFound,
  target: BootTarget,
  options: BootOptions = {},
): Promise<Convergence> {
  const seen = options.seen ?? (await readResource(bmc, system.uri));
  const before = readBoot(seen.body);
  const name = offeredTarget(before, target);
  if (name === undefined) {
    throw fail(
      'BOOT_UNSUPPORTED',
      `The BMC offers no boot source ${target}; it offers ${before.targets?.join(', ')}.`,
      {
        details: { offered: [...(before.targets ?? [])] },
      },
    );
  }
  const done = (boot: BootReading): boolean => overrides(boot, name, options.mode);
  const what = `the next boot comes from ${name}`;
  if (await readsTwice(bmc, system, done, options, before)) return { state: 'reached', changed: false, what };
  return converge(bmc, system, seen, [overridePatch(before, name, options.mode)], done, what, options);
}

/**
 * One look at "no boot override is left". Where the BMC can neither switch it off nor name no source, the
 * disk is made the lasting source; `what` says so.
 */
export async function convergeNoOverride(
  bmc: Bmc,
  system: SystemFound,
  options: Omit<BootOptions, 'mode'> = {},
): Promise<Convergence> {
  const seen = options.seen ?? (await readResource(bmc, system.uri));
  const before = readBoot(seen.body);
  const stuck = bmc.memory.noDisabledOverride.has(system.uri) || system.quirks.noDisabledOverride === true;
  const onDisk = (boot: BootReading): boolean => boot.target === 'Hdd' && boot.enabled === 'Continuous';
  const done = (boot: BootReading): boolean => isCleared(boot) || (stuck && onDisk(boot));
  const what = stuck ? 'the disk is the lasting boot source' : 'no boot override is set';
  if (await readsTwice(bmc, system, done, options, before)) return { state: 'reached', changed: false, what };
  const ways = clearingPatches(before);
  const disk = ways.filter((way) => way.BootSourceOverrideTarget === 'Hdd');
  return converge(bmc, system, seen, stuck && disk.length > 0 ? disk : ways, done, what, options);
}

async function converge(
  bmc: Bmc,
  system: SystemFound,
  seen: Resource,
  ways: readonly BootPatch[],
  done: (boot: BootReading) => boolean,
  what: string,
  options: BootOptions,
): Promise<Convergence> {
  const { retryAfterMs = 5_000 } = options;
  let refused: RedfishResponse | undefined;
  let shown: string | undefined;
  for (const way of ways) {
    const lasting = way.BootSourceOverrideTarget === 'Hdd' && way.BootSourceOverrideEnabled === 'Continuous';
    // The disk as the lasting source is for a BMC that refuses the other ways, not for one that is late.
    if (lasting && shown !== undefined) break;
    const answer = await writeBoot(bmc, system, seen, way);
    if (answer.status >= 400) {
      const code = codeOf(answer);
      const error = refusal(answer, 'Writing the boot override');
      if (code === 'BMC_STATE_REFUSED' || code === 'BMC_CONFLICT') {
        const wait = error.retryAfterMs ?? retryAfterMs;
        return { state: 'pending', retryAfterMs: wait, code, why: error.message, asked: undefined };
      }
      if (code !== 'BMC_REFUSED') throw error;
      refused = answer;
      continue;
    }
    const wanted = (boot: BootReading): boolean => done(boot) || shows(boot, way);
    if (await readsTwice(bmc, system, wanted, options)) {
      if (lasting) bmc.memory.noDisabledOverride.add(system.uri);
      return {
        state: 'reached',
        changed: true,
        what: lasting ? 'the disk is the lasting boot source' : what,
      };
    }
    shown = shownBoot(await readBootOverride(bmc, system.uri));
  }
  if (shown === undefined) throw refusal(refused!, 'Writing the boot override', 'BOOT_REFUSED');
  const why = `${what} was asked for; the BMC shows ${shown}`;
  return { state: 'pending', retryAfterMs, code: 'BOOT_NOT_APPLIED', why, asked: undefined };
}

/** Reads until two reads in a row are as wanted, or the time is over. `first` is a read that was just made. */
async function readsTwice(
  bmc: Bmc,
  system: SystemFound,
  wanted: (boot: BootReading) => boolean,
  options: BootOptions,
  first?: BootReading,
): Promise<boolean> {
  const { watchMs = 5_000, pollMs = 500 } = options;
  if (first !== undefined && !wanted(first)) return false;
  const ends = Date.now() + watchMs;
  let inARow = first === undefined ? 0 : 1;
  for (;;) {
    const readings = await effective(bmc, system);
    inARow = readings.some(wanted) ? inARow + 1 : 0;
    if (inARow >= 2) return true;
    if (first !== undefined && inARow === 0) return false;
    if (Date.now() + pollMs >= ends && inARow === 0) return false;
    await bmc.pause(pollMs);
  }
}

/** The override as the system shows it, and as its settings object does where it is written there. */
async function effective(bmc: Bmc, system: SystemFound): Promise<BootReading[]> {
  const { body } = await readResource(bmc, system.uri);
  if (!throughSettings(bmc, system)) return [readBoot(body)];
  const settings = await settingsOf(bmc, { uri: system.uri, body });
  return [readBoot(body), ...(settings === null ? [] : [readBoot(settings.body)])];
}

const throughSettings = (bmc: Bmc, system: SystemFound): boolean =>
  bmc.memory.bootThroughSettings.has(system.uri) || system.quirks.bootThroughSettings === true;

/** The settings object; one that has no link may stand where those of most BMCs do. */
async function settingsOf(bmc: Bmc, { uri, body }: Pick<Resource, 'uri' | 'body'>): Promise<Resource | null> {
  return tryResource(bmc, settingsObject(body) ?? `${bareUri(uri)}/Settings`);
}

/** Writes to the system; where its Boot is read-only, to its settings object, if that has the attribute. */
async function writeBoot(
  bmc: Bmc,
  system: SystemFound,
  resource: Resource,
  way: BootPatch,
): Promise<RedfishResponse> {
  const hasBoot = (found: Resource | null): found is Resource =>
    found !== null && readBoot(found.body).present;
  if (throughSettings(bmc, system)) {
    const settings = await settingsOf(bmc, resource);
    if (hasBoot(settings)) return patchBoot(bmc, settings, way);
  }
  const answer = await patchBoot(bmc, resource, way);
  if (!isReadOnly(answer)) return answer;
  const settings = await settingsOf(bmc, resource);
  if (!hasBoot(settings)) return answer;
  const there = await patchBoot(bmc, settings, way);
  if (there.status < 400) bmc.memory.bootThroughSettings.add(system.uri);
  return there;
}

const MODE = 'BootSourceOverrideMode';
const READ_ONLY = /PropertyNotWritable|NotWritable|read.?only/i;

const isReadOnly = (answer: RedfishResponse): boolean =>
  answer.status === 405 ||
  (answer.status >= 400 &&
    messagesOf(answer).some((m) => READ_ONLY.test(m.id ?? '') || READ_ONLY.test(m.text ?? '')));

/** One PATCH; the mode is added or left out where an error names it, and is added at once from then on. */
async function patchBoot(bmc: Bmc, resource: Resource, way: BootPatch): Promise<RedfishResponse> {
  const { [MODE]: mode, ...without } = way;
  const shown = readBoot(resource.body).mode;
  const other = mode !== undefined ? without : { ...way, ...(shown === null ? {} : { [MODE]: shown }) };
  const learned = mode === undefined && bmc.memory.bootWithMode.has(resource.uri);
  const send = (patch: BootPatch): Promise<RedfishResponse> =>
    writeMatching(bmc, 'PATCH', resource.uri, { body: { Boot: patch } });
  const [first, second] = learned ? [other, way] : [way, other];
  const answer = await send(first);
  const named = answer.status >= 400 && namedProperties(messagesOf(answer), [MODE]).length > 0;
  const changed = Object.keys(second).length !== Object.keys(first).length && Object.keys(second).length > 0;
  if (!named || !changed) return answer;
  const again = await send(second);
  if (again.status < 400 && mode === undefined && !learned) bmc.memory.bootWithMode.add(resource.uri);
  return again;
}

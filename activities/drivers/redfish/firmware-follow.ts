import { fail, type Failure } from '../../../core/errors/failure.ts';
import type { FirmwareStanding } from '../../../core/redfish/firmware.ts';
import { fileNotFetched, updateStanding } from '../../../core/redfish/firmware-task.ts';
import { convergePower, pendingError } from '../../redfish/power.ts';
import { lookAtTask, taskFailure, type TaskStanding } from '../../redfish/task.ts';
import type { UpdateEntry } from '../../redfish/update-journal.ts';
import { serviceAtWork, updateTasks } from '../../redfish/update-tasks.ts';
import { gracefulMs } from './bmc.ts';
import type { BaselineComponent } from './baseline.ts';
import { forget, later, look, MINUTE, note, SECOND, type Updater } from './updater.ts';

/** An update that nothing tells of is at work for this long before the host is restarted for it. */
export const QUIET_MS = 5 * MINUTE;
/** How long firmware that needs no reset, as far as is known, may take to show its version. */
const SHOWS_MS = MINUTE;
/** How long the version may take once everything for it was done: a BMC comes back, a host starts. */
const DEADLINE_MS = 60 * MINUTE;
/** Some BIOS versions read right once and then flip. */
const GOOD_READS = 3;
const BETWEEN_READS_MS = 2 * SECOND;

/** Looks at what was asked for; true once the inventory shows the version for good. */
export async function follow(
  updater: Updater,
  wanted: BaselineComponent,
  known: UpdateEntry,
): Promise<boolean> {
  if (known.stage === 'off' || known.stage === 'on') {
    await restart(updater, known);
    return false;
  }
  const entry = await withTask(updater, known);
  const { state } = entry;
  if (state === 'running')
    throw later(`the BMC is at work on ${wanted.component} (${entry.told})`, 10 * SECOND);
  if (state === 'failed') {
    await forget(updater);
    throw failed(entry.standing!, wanted);
  }
  const ended = await note(updater, entry.entry, { endedAt: entry.entry.endedAt ?? Date.now() });
  const standing = await look(updater, wanted);
  const shown = standing.differing.length === 0;
  const { kind } = standing;
  if (ended.stage === 'restarted' || kind === 'bmc') {
    if (shown && (kind !== 'bios' || (await staysShown(updater, wanted)))) {
      await forget(updater);
      return true;
    }
    return notShown(updater, wanted, standing, ended);
  }
  if (shown && kind !== 'bios' && state !== 'reboot-needed' && ended.stage === 'asked') {
    await forget(updater);
    return true;
  }
  await untilRestart(updater, wanted, standing, ended, state);
  await restart(updater, ended);
  return false;
}

interface Followed {
  readonly entry: UpdateEntry;
  readonly state: TaskStanding['state'];
  readonly standing: TaskStanding | null;
  readonly told: string;
}

/** The task of an update, if there is one: its own, or one that the BMC made and did not tell of. */
async function withTask(updater: Updater, known: UpdateEntry): Promise<Followed> {
  const { bmc, system } = updater;
  let entry = known;
  if (entry.task === null && entry.stage === 'asked') {
    const made = (await updateTasks(bmc, system))?.findLast(({ uri }) => !entry.before.includes(uri));
    if (made !== undefined) entry = await note(updater, entry, { task: made.uri });
  }
  if (entry.task === null) return { entry, state: 'untracked', standing: null, told: 'no task tells' };
  const standing = await lookAtTask(bmc, entry.task);
  const seen = `${standing.taskState ?? standing.state} ${standing.percent ?? '?'} %`;
  if (seen !== entry.look) entry = await note(updater, entry, { look: seen, lookSince: Date.now() });
  const unchangedMs = Date.now() - entry.lookSince;
  const state = entry.restartedAt === null ? updateStanding(standing, unchangedMs) : standing.state;
  return {
    entry,
    standing,
    told: seen,
    state: state === 'running' && entry.restartedAt !== null ? 'untracked' : state,
  };
}

function failed(standing: TaskStanding, { component }: BaselineComponent): Error {
  const { failure }: { failure: Failure } = taskFailure(standing, `The update of ${component}`);
  return fail('FIRMWARE_UPDATE_FAILED', failure.message, {
    ...(failure.details === undefined ? {} : { details: failure.details }),
    ...(fileNotFetched(standing.messages) ? { faultDomain: 'media-publisher' } : {}),
  });
}

/** The version is shown on several reads in a row. */
async function staysShown(updater: Updater, wanted: BaselineComponent): Promise<boolean> {
  for (let read = 1; read < GOOD_READS; read += 1) {
    await updater.bmc.pause(BETWEEN_READS_MS);
    if ((await look(updater, wanted)).differing.length > 0) return false;
  }
  return true;
}

async function notShown(
  updater: Updater,
  wanted: BaselineComponent,
  standing: FirmwareStanding,
  entry: UpdateEntry,
): Promise<never> {
  const since = entry.restartedAt ?? entry.endedAt ?? entry.askedAt;
  const shows = standing.differing[0]?.version ?? 'not the same on each read';
  const why = `${wanted.component} is to show ${wanted.version}, and shows ${shows}`;
  if (Date.now() - since < DEADLINE_MS) throw later(why, 10 * SECOND);
  await forget(updater);
  throw fail('FIRMWARE_NOT_SHOWN', `${why}.`, { retryable: false });
}

/** Waits for what has to be over before the host may be restarted for an update. */
async function untilRestart(
  { bmc, system, service }: Updater,
  wanted: BaselineComponent,
  standing: FirmwareStanding,
  entry: UpdateEntry,
  state: TaskStanding['state'],
): Promise<void> {
  if (entry.stage !== 'asked' || state === 'reboot-needed') return;
  const age = Date.now() - (entry.task === null ? entry.askedAt : entry.endedAt!);
  // Nothing tells of it: whatever else the BMC does may be it.
  if (entry.task === null) {
    const busy = (await updateTasks(bmc, system))?.some(({ active }) => active) ?? false;
    if (busy || serviceAtWork(service) !== undefined || age < QUIET_MS)
      throw later(
        `the BMC does not tell where the update of ${wanted.component} stands; its effect is waited for`,
        10 * SECOND,
      );
    return;
  }
  if (standing.kind === 'other' && age < SHOWS_MS)
    throw later(`${wanted.component} does not show ${wanted.version} yet`);
}

/** Off, proven, then on, proven; once. A host that was off is switched on: its firmware does the rest. */
async function restart(updater: Updater, begun: UpdateEntry): Promise<void> {
  const { bmc, system } = updater;
  let entry = begun.stage === 'asked' ? await note(updater, begun, { stage: 'off' }) : begun;
  for (const goal of ['off', 'on'] as const) {
    if (entry.stage !== goal) continue;
    const options = goal === 'off' ? { gracefulMs: gracefulMs(updater.context) } : {};
    const power = await convergePower(bmc, system.uri, goal, options);
    if (power.state === 'pending') throw pendingError(power);
    entry = await note(
      updater,
      entry,
      goal === 'off' ? { stage: 'on' } : { stage: 'restarted', restartedAt: Date.now() },
    );
  }
}

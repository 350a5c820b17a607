import { fail, notYet, RackwrightError } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { saysWrong } from '../../../core/redfish/bios-standing.ts';
import { writtenValue } from '../../../core/redfish/bios-values.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { asText } from '../../../core/redfish/read.ts';
import type { BiosSettings } from '../../../core/service-work.ts';
import { activeBiosJob, jobOf, makeBiosJob } from '../../redfish/bios-jobs.ts';
import { attributesOf, takesApplyTime, writeBios, type WritableBios } from '../../redfish/bios.ts';
import { codeOf, messagesOf, refusal, type RedfishResponse } from '../../redfish/errors.ts';
import type { SystemFound } from '../../redfish/service.ts';
import { lookAtTask, taskFailure } from '../../redfish/task.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { requireMaintenance } from './baseline.ts';
import { keepBios, lookAtBios, remarksOf, requireSettable, type BiosLook } from './bios-look.ts';
import { onSystem, sentence } from './bmc.ts';
import { AttemptMemory } from './boot-session.ts';

const LOOK_AGAIN_MS = 10_000;
/** How long a write without an answer is believed to be on its way. */
const PATIENCE_MS = 30_000;

/** So often settings are written that a BMC takes and does not show; then the reset tells. */
const MOST_UNSEEN = 3;

const writes = new AttemptMemory<number>();
const unseen = new AttemptMemory<number>();

/** Finds everything that is wrong with the settings, before anything is written. */
export const checkBios: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const look = await lookAtBios(context, bmc, system);
    requireSettable(look);
    const { wanted, standing } = look;
    if (standing.missing.length + standing.waiting.length > 0) requireMaintenance(context, 'BIOS settings');
    return {
      summary: sentence(`${count(Object.keys(wanted))} to have`, standingOf(look), ...remarksOf(look)),
      evidence: [await keepBios(context, bmc, look)],
    };
  });

/**
 * Asks the firmware for what differs, in one write. What waits already with the right value is adopted, and
 * so is a job that applies it; a write whose answer was lost is looked for before there is another.
 */
export const setBios: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const before = await lookAtBios(context, bmc, system);
    requireSettable(before);
    const { missing, waiting } = before.standing;
    if (missing.length === 0 && waiting.length === 0) {
      return {
        summary: sentence('nothing to do', standingOf(before), ...remarksOf(before)),
        data: { bios: { restart: false, job: null, before: {}, refused: [] } },
        evidence: [await keepBios(context, bmc, before)],
      };
    }
    requireMaintenance(context, 'BIOS settings');
    const { bios, settings } = before.found;
    const asked =
      missing.length === 0 || settings === null
        ? null
        : await write(context, bmc, before, { bios, settings });
    const { look, job } = await accepted(context, bmc, system, asked);
    const { values } = before.standing;
    const untold = look.standing.missing;
    const restart = look.standing.waiting.length + untold.length > 0 || job !== null;
    return {
      summary: sentence(
        missing.length === 0
          ? `${count(waiting)} wait already: ${shownList(waiting)}`
          : `${count(missing)} asked for: ${shownList(missing)}`,
        restart ? 'they wait for a reset' : 'they are set without a reset',
        job === null ? undefined : `job ${job}`,
        job === null && untold.length > 0 ? `the BMC does not show them: ${shownList(untold)}` : undefined,
        ...remarksOf(look),
      ),
      data: {
        bios: {
          restart,
          job,
          before: Object.fromEntries(
            look.standing.waiting.concat(missing).map((name) => [name, cut(values[name])]),
          ),
          refused: Object.keys(before.standing.refused),
          resetAt: asText(system.body['LastResetTime']),
        },
      },
      evidence: [await keepBios(context, bmc, look, { job })],
    };
  });

const count = ({ length }: readonly string[]): string => `${length} ${length === 1 ? 'setting' : 'settings'}`;
const cut = (value: Json | undefined): Json =>
  typeof value === 'string' ? value.slice(0, 200) : (value ?? null);

function standingOf({ standing, found }: BiosLook): string {
  const { applied, waiting, missing } = standing;
  return [
    ...(applied.length > 0 ? [`${applied.length} read as asked`] : []),
    ...(missing.length > 0 ? [`${missing.length} differ: ${shownList(missing)}`] : []),
    ...(waiting.length > 0 ? [`${waiting.length} wait for a reset: ${shownList(waiting)}`] : []),
    ...(found.settings === null ? ['the BIOS has no settings object: it can only be read'] : []),
  ].join('; ');
}

/** Writes what is missing, once. The path of the job that the answer names, if any. */
async function write(
  context: StepContext,
  bmc: Bmc,
  { wanted, standing, check }: BiosLook,
  found: WritableBios,
): Promise<string | null> {
  const age = Date.now() - (writes.get(context) ?? 0);
  if (age < PATIENCE_MS) {
    const message = 'The settings were written, no answer came, and they do not show yet.';
    throw notYet('BIOS_NOT_APPLIED', message, Math.min(LOOK_AGAIN_MS, PATIENCE_MS - age));
  }
  const current = attributesOf(found.bios);
  const attributes: BiosSettings = Object.fromEntries(
    standing.missing.map((name) => [
      name,
      writtenValue(wanted[name]!, current[name], check.types[name] ?? null),
    ]),
  );
  writes.set(context, Date.now());
  const answer = await writeBios(bmc, found, attributes).catch((error: unknown) => {
    if (error instanceof RackwrightError && error.failure.code === 'BMC_UNREACHABLE') writes.forget(context);
    throw error;
  });
  writes.forget(context);
  const { missing } = standing;
  if (answer.status >= 400 || saysWrong(messagesOf(answer), missing, false)) throw refused(answer, missing);
  return jobOf(answer);
}

/** The error of a refused write: the settings are wrong where the BMC says so of one of them. */
function refused(answer: RedfishResponse, names: readonly string[]): RackwrightError {
  const { status } = answer;
  const told = saysWrong(messagesOf(answer), names, status >= 400);
  const wrong = told && (status < 400 || codeOf(answer) === 'BMC_REFUSED');
  return refusal(answer, 'Writing the BIOS settings', wrong ? 'BIOS_SETTING_INVALID' : undefined);
}

/** What shows that the settings were taken: they wait, or a job is there that applies them, or they are set. */
async function accepted(
  context: StepContext,
  bmc: Bmc,
  system: SystemFound,
  named: string | null,
): Promise<{ look: BiosLook; job: string | null }> {
  const look = await lookAtBios(context, bmc, system);
  const { settings, bios } = look.found;
  const { missing, waiting } = look.standing;
  if (settings === null)
    throw notYet('BIOS_NOT_APPLIED', 'The settings object cannot be read.', LOOK_AGAIN_MS);
  let job = named;
  if (job === null && (missing.length > 0 || waiting.length > 0)) {
    job = await activeBiosJob(bmc, system, settings.uri);
  }
  if (missing.length > 0 && job === null) {
    const times = (unseen.get(context) ?? 0) + 1;
    unseen.set(context, times);
    const message = `The BMC accepted the settings, and shows neither them nor a job: ${shownList(missing)}.`;
    if (times < MOST_UNSEEN) throw notYet('BIOS_NOT_APPLIED', message, LOOK_AGAIN_MS);
  }
  unseen.forget(context);
  // Some apply nothing without a job, and make none by themselves.
  if (job === null && waiting.length > 0 && !takesApplyTime(bios)) {
    job = await makeBiosJob(bmc, system, settings.uri);
  }
  if (job !== null) {
    const standing = await lookAtTask(bmc, job);
    if (standing.state === 'failed') {
      const { message, details } = taskFailure(standing, 'Applying the BIOS settings').failure;
      throw fail('BIOS_NOT_APPLIED', message, details === undefined ? {} : { details });
    }
  }
  return { look, job };
}

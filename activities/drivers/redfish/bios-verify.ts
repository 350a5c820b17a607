import { objectOf, textOf } from '../../../core/agent/read.ts';
import { fail, notYet, type RackwrightError } from '../../../core/errors/failure.ts';
import { textsOf } from '../../../core/redfish/read.ts';
import type { JsonObject } from '../../../core/json.ts';
import { biosVerdict, type BiosBefore, type BiosVerdict } from '../../../core/redfish/bios-standing.ts';
import { shown } from '../../../core/redfish/bios-values.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { activeBiosJob } from '../../redfish/bios-jobs.ts';
import { shownText } from '../../redfish/errors.ts';
import type { SystemFound } from '../../redfish/service.ts';
import { lookAtTask, taskFailure } from '../../redfish/task.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { keepBios, lookAtBios, remarksOf, type BiosLook } from './bios-look.ts';
import { onSystem, sentence } from './bmc.ts';
import { AttemptMemory } from './boot-session.ts';

const LOOK_AGAIN_MS = 10_000;
/** Between two readings that have to agree. */
const READ_AGAIN_MS = 2_000;
/** The firmware tells the BMC what it has at the end of POST: so long what reads as before may still change. */
const UNCHANGED_MS = 600_000;

/** What a verdict is called. */
const READS: { readonly [S in BiosVerdict['state']]: string } = {
  applied: 'as asked',
  waiting: 'as waiting for a reset',
  refused: 'as refused',
  unchanged: 'as before',
  other: 'as something else',
};

const unchangedSince = new AttemptMemory<number>();

/** After the reset: every setting reads as asked, twice in a row, and no job is left that could change it. */
export const verifyBios: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const data = objectOf(context.input.data['bios']);
    const before: BiosBefore = {
      values: objectOf(data['before']),
      refused: textsOf(data['refused']),
    };
    const job = textOf(data['job']);
    if (job !== null) await jobEnded(bmc, job);
    const first = await judged(context, bmc, system, before);
    await settled(context, first.look, first.verdict);
    await bmc.pause(READ_AGAIN_MS);
    const second = await judged(context, bmc, system, before);
    if (first.verdict.state !== second.verdict.state) {
      const message = `The settings read ${READS[first.verdict.state]} once, and ${READS[second.verdict.state]} then.`;
      throw notYet('BIOS_NOT_APPLIED', message, LOOK_AGAIN_MS);
    }
    if (second.verdict.state === 'other') throw await different(context, bmc, second.look, second.verdict);
    const { found, wanted, standing } = second.look;
    // Some show what waits as set before the job that sets it has run.
    const left = found.settings === null ? null : await activeBiosJob(bmc, system, found.settings.uri);
    if (left !== null && data['restart'] === true) {
      throw notYet(
        'BIOS_NOT_APPLIED',
        `The settings read as asked, and job ${left} is still to end.`,
        LOOK_AGAIN_MS,
      );
    }
    unchangedSince.forget(context);
    const changed = Object.keys(before.values).filter((name) => standing.applied.includes(name));
    return {
      summary: sentence(
        `${Object.keys(wanted).length} settings read as asked, twice in a row`,
        changed.length === 0 ? undefined : `set: ${shownList(changed)}`,
        ...remarksOf(second.look),
      ),
      evidence: [await keepBios(context, bmc, second.look, { before: before.values as JsonObject })],
    };
  });

async function judged(
  context: StepContext,
  bmc: Bmc,
  system: SystemFound,
  before: BiosBefore,
): Promise<{ look: BiosLook; verdict: BiosVerdict }> {
  const look = await lookAtBios(context, bmc, system);
  return { look, verdict: biosVerdict(look.standing, before, look.check.types) };
}

/** Goes on once the job has ended well, or is not known any more: then the settings tell. */
async function jobEnded(bmc: Bmc, job: string): Promise<void> {
  const standing = await lookAtTask(bmc, job);
  if (standing.state === 'failed') {
    const { message, details } = taskFailure(standing, 'Applying the BIOS settings').failure;
    throw fail('BIOS_NOT_APPLIED', message, details === undefined ? {} : { details });
  }
  if (standing.state === 'running' || standing.state === 'reboot-needed') {
    const state = standing.taskState ?? 'running';
    throw notYet('BIOS_NOT_APPLIED', `Job ${job} that applies the settings is ${state}.`, LOOK_AGAIN_MS);
  }
}

/** Throws what one reading is enough for. */
async function settled(context: StepContext, { standing }: BiosLook, verdict: BiosVerdict): Promise<void> {
  if (verdict.state === 'refused') {
    unchangedSince.forget(context);
    const why = verdict.names.map((name) => `${name}: ${shownText(standing.refused[name] ?? '')}`);
    throw fail('BIOS_NOT_APPLIED', `The firmware refused settings: ${shownList(why)}`, {
      details: { refused: why.slice(0, 64) },
    });
  }
  if (verdict.state === 'waiting') {
    const message = `The settings still wait for a reset: ${shownList(verdict.names)}.`;
    throw notYet('BIOS_NOT_APPLIED', message, LOOK_AGAIN_MS);
  }
  if (verdict.state !== 'unchanged') return;
  const since = unchangedSince.get(context) ?? Date.now();
  unchangedSince.set(context, since);
  const message = `The settings read as before: ${shownList(verdict.names)}.`;
  if (Date.now() - since < UNCHANGED_MS) throw notYet('BIOS_NOT_APPLIED', message, LOOK_AGAIN_MS);
  unchangedSince.forget(context);
  throw fail('BIOS_NOT_APPLIED', `${message} The firmware did not take them, and does not say why.`);
}

/** The firmware has made something else of it: what was asked for, and what there is. */
async function different(
  context: StepContext,
  bmc: Bmc,
  look: BiosLook,
  { names }: { readonly names: readonly string[] },
): Promise<RackwrightError> {
  await keepBios(context, bmc, look);
  const differences = names.map(
    (name) => `${name} is ${shown(look.standing.values[name])}, not ${shown(look.wanted[name])}`,
  );
  return fail('BIOS_NOT_APPLIED', `The firmware has made something else of it: ${shownList(differences)}.`, {
    details: { differences: differences.slice(0, 64) },
  });
}

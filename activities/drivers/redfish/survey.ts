import { objectOf } from '../../../core/agent/read.ts';
import { fail, notYet } from '../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { readFirmwareSettings } from '../../../core/redfish/firmware-settings.ts';
import {
  surveyDifferences,
  surveyOf,
  type BootAsked,
  type Survey,
  type SurveyDifference,
} from '../../../core/redfish/survey.ts';
import { textsOf } from '../../../core/redfish/read.ts';
import { serviceWork } from '../../../core/service-work.ts';
import { inspectSystem } from '../../redfish/inspect.ts';
import { convergePower } from '../../redfish/power.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { wantedSettings } from './bios-look.ts';
import { gracefulMs, onSystem, reached, sentence } from './bmc.ts';
import { AttemptMemory } from './boot-session.ts';

/** How long a machine that starts may take until it shows all of its parts. */
const STARTS_MS = 900_000;
/** How long anything else may take until it is as before. */
const SETTLES_MS = 120_000;
const LOOK_AGAIN_MS = 5_000;

/** What the node was like before; undefined where the operation did not look. */
export const surveyed = ({ input }: StepContext): Survey | undefined =>
  input.data['survey'] === undefined ? undefined : (objectOf(input.data['survey']) as unknown as Survey);

async function look(context: StepContext, name: string): Promise<Survey> {
  return onSystem(context, async (bmc, system) => {
    const inspection = await inspectSystem(bmc, system);
    await context.evidence(name, {
      asked: 'inventory, out of band',
      of: bmc.origin,
      answer: inspection as unknown as Json,
    });
    return surveyOf(inspection);
  });
}

/** Notes what the node is like, once: what changed since is no reason to forget how it was. */
export const survey: StepFunction = async (context) => {
  const before = surveyed(context);
  if (before !== undefined) return { summary: 'Noted before this operation was held; that stays.' };
  const now = await look(context, 'before');
  return {
    summary: sentence(
      `power ${now.power}`,
      `${Object.keys(now.nics).length} NICs, ${now.gpus.length} GPUs, ${now.drives.length} drives`,
      `${Object.keys(now.firmware).length} firmware components`,
      now.unread.length === 0 ? undefined : `not read: ${now.unread.join(', ')}`,
    ),
    data: { survey: now as unknown as JsonObject, ...powerOf(now) },
  };
};

interface Looked {
  /** When it was first seen to differ. */
  readonly differsSince: number | null;
  readonly differences: readonly SurveyDifference[];
}
const looks = new AttemptMemory<Looked>();

/** How the node is to boot by the BIOS settings that were asked for: what was asked for is no drift. */
function bootAsked(context: StepContext): BootAsked {
  const settings = serviceWork(context.input.args).bios === undefined ? {} : wantedSettings(context);
  const order = Object.keys(settings).some((name) => /boot.*(seq|order)/i.test(name));
  return { ...readFirmwareSettings({ Attributes: settings }), order };
}

/**
 * The node is what it was, but for what was to change, on two looks in a row: some firmware shows a boot
 * order and flips it afterwards. What stays different is a finding, and the node has drifted.
 */
export const compareSurvey: StepFunction = async (context) => {
  const before = surveyed(context);
  if (before === undefined) throw fail('UNEXPECTED', 'What the node was like before is not known.');
  const after = await look(context, 'after');
  const updated = new Set(textsOf(context.input.data['updatedFirmware']));
  const asked = bootAsked(context);
  const differences = surveyDifferences(before, after, updated, asked);
  const earlier = looks.get(context);
  const same = differences.length === 0;
  const differsSince = same ? null : (earlier?.differsSince ?? Date.now());
  looks.set(context, { differsSince, differences });
  if (same && earlier?.differences.length === 0) {
    looks.forget(context);
    if (asked.mode !== null || asked.secureBoot !== null) await acceptBoot(context, after);
    const meant = surveyDifferences(before, after, updated).map(({ what }) => what);
    return {
      summary: sentence(
        'as before, on two looks in a row',
        meant.length === 0 ? undefined : `by the BIOS settings, ${shownList(meant)}`,
      ),
      data: powerOf(after),
    };
  }
  if (same) {
    throw notYet('NODE_CHANGED', 'It is as before; it is looked at once more.', LOOK_AGAIN_MS);
  }
  throw changedError(differences, Date.now() - differsSince!);
};

/** How the node boots was to change: later inspections are compared with how it does now. */
async function acceptBoot({ site, input }: StepContext, { boot }: Survey): Promise<void> {
  const { site: name, node } = input.ref;
  const kept = await site.inspections.read(name, node);
  if (!kept?.baseline) return;
  const baseline = { ...kept.baseline, bootMode: boot.mode, secureBoot: boot.secureBoot };
  await site.inspections.write(name, node, { ...kept, baseline });
}

/** The failure of a node that is not what it was: final once it had its time to settle. */
export function changedError(differences: readonly SurveyDifference[], ageMs: number): Error {
  const texts = differences.map(({ what }) => what);
  const message = `Not as before: ${shownList(texts)}.`;
  const hardware = differences.some(({ faultDomain }) => faultDomain === 'hardware');
  const given = {
    faultDomain: hardware ? ('hardware' as const) : ('firmware' as const),
    details: { differences: texts.slice(0, 32) },
  };
  const patience = differences.every(({ missing }) => missing) ? STARTS_MS : SETTLES_MS;
  if (ageMs >= patience) return fail('NODE_CHANGED', message, given);
  return fail('NODE_CHANGED', message, { ...given, retryable: true }, { retryAfterMs: LOOK_AGAIN_MS });
}

/** On or off as before the operation; what it was then and could not be told is left. */
export const restorePower: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const { power } = surveyed(context) ?? { power: 'unknown' };
    if (power !== 'on' && power !== 'off') return { summary: `The power was ${power} before, and is left.` };
    const options = power === 'off' ? { gracefulMs: gracefulMs(context) } : {};
    const what = reached(await convergePower(bmc, system.uri, power, options));
    return { summary: sentence(what, 'as before'), data: { power } };
  });

const powerOf = ({ power }: Survey): JsonObject => (power === 'on' || power === 'off' ? { power } : {});

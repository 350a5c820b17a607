import type { FaultDomain } from '../fault-domains.ts';
import { quoted, shownWord } from './comparison.ts';
import type { FirmwareSettings } from './firmware-settings.ts';
import type { Inspection } from './inspection.ts';

/** What a node is like before a service, as far as a service must leave it so. Small: it travels in the operation's data. */
export interface Survey {
  readonly power: string;
  readonly boot: {
    readonly mode: string | null;
    /** What is booted instead of the order; `none` without an override. */
    readonly override: string;
    readonly order: readonly string[];
    readonly secureBoot: boolean | null;
  };
  /** Names by MAC. */
  readonly nics: { readonly [mac: string]: string | null };
  readonly gpus: readonly string[];
  readonly drives: readonly string[];
  /** Versions by the id of the component. */
  readonly firmware: { readonly [id: string]: string | null };
  readonly unread: readonly string[];
}

/** How a node was asked to boot from now on; null where nothing was asked. */
export interface BootAsked extends FirmwareSettings {
  /** In another order, whichever. */
  readonly order?: boolean;
}

/** One way in which a node is not what it was before. */
export interface SurveyDifference {
  readonly what: string;
  readonly faultDomain: Extract<FaultDomain, 'hardware' | 'firmware'>;
  /** Something is not shown that was: a machine that starts shows its parts one after the other. */
  readonly missing: boolean;
}

const MOST = 128;

/** The survey of an inspection. */
export function surveyOf(seen: Inspection): Survey {
  const { mode, overrideTarget, overrideEnabled, order, secureBoot } = seen.boot;
  const none = overrideEnabled === null || /disabled/i.test(overrideEnabled) || overrideTarget === null;
  const nics = seen.nics.filter(({ mac, role }) => mac !== null && role === 'port');
  return {
    power: seen.power,
    boot: {
      mode,
      override: none ? 'none' : `${overrideTarget} (${overrideEnabled})`,
      order: order.slice(0, MOST),
      secureBoot: secureBoot?.enabled ?? null,
    },
    nics: Object.fromEntries(nics.slice(0, MOST).map(({ mac, name }) => [mac, name])),
    gpus: named(seen.gpus.map(({ serialNumber, uuid, model }) => serialNumber ?? uuid ?? model ?? 'a GPU')),
    drives: named(
      seen.drives.map(({ serialNumber, model, name }) => serialNumber ?? model ?? name ?? 'a drive'),
    ),
    firmware: Object.fromEntries(seen.firmware.slice(0, MOST).map(({ id, version }) => [id, version])),
    unread: seen.unread.slice(0, 32).map(({ part }) => part),
  };
}

const named = (names: readonly string[]): string[] => names.slice(0, MOST).sort();

/**
 * How a node differs from what it was. What it shows besides is no difference: a machine that is on shows
 * more than one that is off. Power is not compared: it is put back.
 * @param updated ids of firmware that was to change
 * @param asked how it was to boot from now on
 */
export function surveyDifferences(
  before: Survey,
  after: Survey,
  updated: ReadonlySet<string> = new Set(),
  asked: BootAsked = { mode: null, secureBoot: null },
): SurveyDifference[] {
  return [
    ...bootDifferences(before.boot, after.boot, asked),
    ...nicDifferences(before.nics, after.nics),
    ...lost('GPU', before.gpus, after.gpus),
    ...lost('drive', before.drives, after.drives),
    ...firmwareDifferences(before.firmware, after.firmware, updated),
  ];
}

const changed = (what: string, before: string, after: string): SurveyDifference => ({
  what: `${what} was ${before}, and is ${after}`,
  faultDomain: 'firmware',
  missing: false,
});

const gone = (what: string): SurveyDifference => ({
  what: `${what} is gone`,
  faultDomain: 'hardware',
  missing: true,
});

function bootDifferences(
  before: Survey['boot'],
  after: Survey['boot'],
  asked: BootAsked,
): SurveyDifference[] {
  const found: SurveyDifference[] = [];
  const told = (text: string | null): string => (text === null ? 'not told' : shownWord(text));
  // What was not told before cannot have changed; what is not told any more may be shown in a moment.
  const switched = before.mode !== after.mode && after.mode !== null && after.mode === asked.mode;
  if (before.mode !== null && after.mode !== before.mode && !switched)
    found.push(changed('the boot mode', told(before.mode), told(after.mode)));
  if (before.override !== after.override)
    found.push(changed('the boot override', told(before.override), told(after.override)));
  const wantsSecureBoot = after.secureBoot !== null && after.secureBoot === asked.secureBoot;
  if (before.secureBoot !== null && after.secureBoot !== before.secureBoot && !wantsSecureBoot)
    found.push(changed('secure boot', onOff(before.secureBoot), onOff(after.secureBoot)));
  // Each boot mode has options of its own.
  if (switched || asked.order === true) return found;
  // Options that came are shown by their place: what was there keeps its order.
  const kept = after.order.filter((each) => before.order.includes(each));
  if (kept.join('\n') !== before.order.join('\n'))
    found.push(changed('the boot order', list(before.order), list(after.order)));
  return found;
}

const onOff = (value: boolean | null): string => (value === null ? 'not told' : value ? 'on' : 'off');
const list = (names: readonly string[]): string =>
  names.length === 0 ? 'empty' : names.slice(0, 8).map(shownWord).join(', ');

function nicDifferences(before: Survey['nics'], after: Survey['nics']): SurveyDifference[] {
  const came = Object.keys(after).filter((mac) => !(mac in before));
  const besides = came.length === 0 ? '' : ` (new: ${came.slice(0, 4).join(', ')})`;
  return Object.entries(before).flatMap(([mac, name]) => {
    if (!(mac in after)) return [gone(`NIC ${name === null ? '' : `${quoted(name)} `}${mac}${besides}`)];
    const now = after[mac]!;
    if (name === null || name === now) return [];
    return [changed(`the name of NIC ${mac}`, quoted(name), now === null ? 'not told' : quoted(now))];
  });
}

/** What is no longer there, of parts that may be named alike. */
function lost(kind: string, before: readonly string[], after: readonly string[]): SurveyDifference[] {
  const left = [...after];
  return before.flatMap((name) => {
    const at = left.indexOf(name);
    if (at < 0) return [gone(`${kind} ${quoted(name)}`)];
    left.splice(at, 1);
    return [];
  });
}

function firmwareDifferences(
  before: Survey['firmware'],
  after: Survey['firmware'],
  updated: ReadonlySet<string>,
): SurveyDifference[] {
  return Object.entries(before).flatMap(([id, version]) => {
    if (updated.has(id)) return [];
    const what = `the firmware of ${quoted(id)}`;
    const now = after[id];
    if (now === undefined) return [{ ...gone(what), faultDomain: 'firmware' as const }];
    if (version === null || now === version) return [];
    return [changed(what, quoted(version), now === null ? 'not told' : quoted(now))];
  });
}

import type { Field } from './fields.ts';
import type { JsonObject } from './json.ts';

/** A value of a BIOS attribute, as Redfish has them. */
export type BiosValue = string | number | boolean;
export type BiosSettings = { readonly [attribute: string]: BiosValue };

/** What verb `service` is asked to do. Null stands for what the contract says of the node's machine type. */
export interface ServiceWork {
  readonly firmware?: { readonly baseline: string | null };
  readonly bios?: { readonly settings: BiosSettings | null };
}

const BASELINE = /^[a-z0-9][a-z0-9.-]{0,62}$/;
/** The name of a BIOS attribute. Not of one that holds a password: what is asked for is kept, and shown to whoever looks. */
export const BIOS_ATTRIBUTE =
  /^(?!.*(?:[Pp]ass(?:[Ww]ord|[Pp]hrase|[Ww]d)|PASS(?:WORD|PHRASE|WD)|[Pp]wd|PWD)$)[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
const MOST_SETTINGS = 500;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isBiosValue = (value: unknown): value is BiosValue =>
  typeof value === 'boolean' ||
  Number.isSafeInteger(value) ||
  (typeof value === 'string' && /^[^\0\r\n]{0,1000}$/.test(value));

function isSettings(value: unknown): value is BiosSettings {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.length <= MOST_SETTINGS &&
    entries.every(([name, each]) => BIOS_ATTRIBUTE.test(name) && isBiosValue(each))
  );
}

const hasOnly = (value: object, ...names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** What one entry of `steps` asks for; undefined if it is none. */
function entryOf(entry: unknown): ServiceWork | undefined {
  if (entry === 'firmware') return { firmware: { baseline: null } };
  if (entry === 'bios') return { bios: { settings: null } };
  if (!isObject(entry)) return undefined;
  const { step, baseline, settings } = entry;
  if (step === 'firmware' && hasOnly(entry, 'step', 'baseline')) {
    if (baseline === undefined) return { firmware: { baseline: null } };
    return typeof baseline === 'string' && BASELINE.test(baseline) ? { firmware: { baseline } } : undefined;
  }
  if (step === 'bios' && hasOnly(entry, 'step', 'settings')) {
    if (settings === undefined) return { bios: { settings: null } };
    return isSettings(settings) ? { bios: { settings } } : undefined;
  }
  return undefined;
}

/** All entries together; undefined if one is none, or a step stands twice. */
function workOf(steps: unknown): ServiceWork | undefined {
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > 2) return undefined;
  let all: ServiceWork = {};
  for (const entry of Array.from<unknown>(steps)) {
    const work = entryOf(entry);
    if (work === undefined || Object.keys(work).some((name) => name in all)) return undefined;
    all = { ...all, ...work };
  }
  return all;
}

/** The field `steps` of verb `service`. */
export const SERVICE_STEPS: Field = {
  expects:
    'a list of "firmware" and "bios", or of objects {"step": "firmware", "baseline": NAME} and ' +
    '{"step": "bios", "settings": {ATTRIBUTE: VALUE}}, each step once, and no ATTRIBUTE a password',
  required: true,
  accepts: (value) => workOf(value) !== undefined,
};

/** What a request for `service` asks for; where no steps are given, all that there are. What is no list of steps asks for nothing. */
export const serviceWork = ({ steps }: JsonObject): ServiceWork =>
  steps === undefined ? { firmware: { baseline: null }, bios: { settings: null } } : (workOf(steps) ?? {});

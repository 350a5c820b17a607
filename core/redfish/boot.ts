import { asObject, at, linkOf, textsOf } from './read.ts';

export type BootTarget = 'Cd' | 'Hdd' | 'Pxe' | 'Usb' | 'BiosSetup' | 'UefiHttp';
export type BootMode = 'UEFI' | 'Legacy';

/** The boot override of a system or of its settings object. */
export interface BootReading {
  readonly present: boolean;
  readonly enabled: string | null;
  readonly target: string | null;
  readonly mode: string | null;
  readonly targets: readonly string[] | null;
  readonly enables: readonly string[] | null;
  /** Whether BootSourceOverrideMode is there at all: some BMCs do not know it. */
  readonly knowsMode: boolean;
}

/** What is to be written; only these fields are compared when it is read back. */
export interface BootPatch {
  readonly BootSourceOverrideEnabled?: string;
  readonly BootSourceOverrideTarget?: string;
  readonly BootSourceOverrideMode?: string;
}

const listed = (boot: unknown, name: string): string[] | null => {
  const values = textsOf(at(boot, `${name}@Redfish.AllowableValues`));
  return values.length === 0 ? null : values;
};

/** Reads `Boot`. `None` is a real value here, so it is not read as "unknown". */
export function readBoot(resource: unknown): BootReading {
  const boot = asObject(at(resource, 'Boot'));
  const field = (name: string): string | null => {
    const value = boot[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const raw = boot['BootSourceOverrideTarget@Redfish.AllowableValues'];
  const targets = Array.isArray(raw) ? raw.filter((t): t is string => typeof t === 'string') : [];
  return {
    present: 'BootSourceOverrideTarget' in boot || 'BootSourceOverrideEnabled' in boot,
    enabled: field('BootSourceOverrideEnabled'),
    target: field('BootSourceOverrideTarget'),
    mode: field('BootSourceOverrideMode'),
    targets: targets.length === 0 ? null : targets,
    enables: listed(boot, 'BootSourceOverrideEnabled'),
    knowsMode: 'BootSourceOverrideMode' in boot,
  };
}

/** The settings object of a resource, if it names one. */
export const settingsObject = (resource: unknown): string | null =>
  linkOf(at(resource, '@Redfish.Settings', 'SettingsObject'));

/** Virtual media is a CD to most BMCs, a USB CD to some. */
const ALIASES: { readonly [target: string]: readonly string[] } = { Cd: ['Cd', 'UsbCd', 'RemoteDrive'] };

/** The name under which the BMC offers this boot source; undefined if its list does not have it. */
export function offeredTarget(boot: BootReading, target: BootTarget): string | undefined {
  const names = ALIASES[target] ?? [target];
  if (boot.targets === null) return target;
  return names.find((name) => boot.targets!.includes(name));
}

/** Whether the override is set to this source. `Once` may read back as `Continuous`. */
export const overrides = (boot: BootReading, target: string, mode: BootMode | undefined): boolean =>
  boot.target === target &&
  (boot.enabled === 'Once' || boot.enabled === 'Continuous') &&
  (mode === undefined || !boot.knowsMode || boot.mode === null || boot.mode === mode);

/** What to write so that the next boot comes from this source: source and duration together, the mode only if it differs. */
export function overridePatch(boot: BootReading, target: string, mode: BootMode | undefined): BootPatch {
  const once = boot.enables === null || boot.enables.includes('Once');
  const differs = mode !== undefined && boot.knowsMode && boot.mode !== null && boot.mode !== mode;
  return {
    BootSourceOverrideTarget: target,
    BootSourceOverrideEnabled: once ? 'Once' : 'Continuous',
    ...(differs ? { BootSourceOverrideMode: mode } : {}),
  };
}

/** Whether no override is in force. */
export const isCleared = (boot: BootReading): boolean =>
  !boot.present ||
  boot.enabled === 'Disabled' ||
  boot.target === 'None' ||
  (boot.enabled === null && boot.target === null);

/**
 * The ways to clear an override, in order: switch it off; no source, where that is offered; and last, for
 * a BMC that knows neither, the disk as the lasting source.
 */
export function clearingPatches(boot: BootReading): BootPatch[] {
  const none: BootPatch[] = boot.targets?.includes('None')
    ? [{ BootSourceOverrideEnabled: 'Disabled', BootSourceOverrideTarget: 'None' }]
    : [];
  const disk: BootPatch[] =
    boot.targets?.includes('Hdd') && !boot.targets.includes('None')
      ? [{ BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' }]
      : [];
  const off: BootPatch[] =
    boot.enables === null || boot.enables.includes('Disabled')
      ? [{ BootSourceOverrideEnabled: 'Disabled' }]
      : [];
  return [...off, ...none, ...disk];
}

/** Whether the reading shows the patch; `Once` may read back as `Continuous`. */
export const shows = (boot: BootReading, patch: BootPatch): boolean =>
  (patch.BootSourceOverrideEnabled === 'Disabled'
    ? isCleared(boot)
    : boot.enabled === 'Once' || boot.enabled === 'Continuous') &&
  (patch.BootSourceOverrideTarget === undefined ||
    patch.BootSourceOverrideEnabled === 'Disabled' ||
    boot.target === patch.BootSourceOverrideTarget) &&
  (patch.BootSourceOverrideMode === undefined || boot.mode === patch.BootSourceOverrideMode);

/** A text for people: what the override says now. */
export const shownBoot = (boot: BootReading): string =>
  boot.present
    ? [
        boot.target ?? 'no source',
        boot.enabled ?? 'duration unknown',
        ...(boot.mode === null ? [] : [boot.mode]),
      ].join(', ')
    : 'no boot override';

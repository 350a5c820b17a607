import { readBootMode, readSecureBoot } from './readers.ts';
import { asBoolean, asObject, asText, at } from './read.ts';

export type ShownBootMode = 'UEFI' | 'Legacy';

/** What the settings of the firmware say of how the system boots. */
export interface FirmwareSettings {
  readonly mode: ShownBootMode | null;
  readonly secureBoot: boolean | null;
}

/** Attributes for the boot mode: of Dell and HPE, of Lenovo, of Supermicro. Not `OneTimeBootMode`, not `SecureBootMode`. */
const BOOT_MODE = /^(boot_?mode(_?select(ion)?)?|(bootmodes_)?system_?boot_?mode)$/i;
const SECURE_BOOT = /^(secureboot(configuration)?_)?secure_?boot(_?(enable|setting|state|status))?$/i;

const modeOf = (value: unknown): ShownBootMode | null => {
  const text = asText(value) ?? '';
  if (/^uefi/i.test(text)) return 'UEFI';
  return /^(legacy|bios)/i.test(text) ? 'Legacy' : null;
};

const switchOf = (value: unknown): boolean | null => {
  const text = asText(value)?.toLowerCase();
  return text === 'enabled' ? true : text === 'disabled' ? false : asBoolean(value);
};

/** Reads the BIOS attributes; null where none of them says it, or two of them say different things. */
export function readFirmwareSettings(bios: unknown): FirmwareSettings {
  const attributes = Object.entries(asObject(at(bios, 'Attributes'))).slice(0, 4_096);
  const said = <T>(name: RegExp, read: (value: unknown) => T | null): T | null => {
    const values = new Set(
      attributes.flatMap(([key, value]) => (name.test(key) ? [read(value)] : [])).filter((v) => v !== null),
    );
    return values.size === 1 ? [...values][0]! : null;
  };
  return { mode: said(BOOT_MODE, modeOf), secureBoot: said(SECURE_BOOT, switchOf) };
}

const word = (enabled: boolean): string => (enabled ? 'enabled' : 'disabled');

/** How a system boots, by everything that says it, and where that disagrees. */
export interface BootSetting {
  /** What the settings of the firmware say; else the mode of the override, which is all that some BMCs show. */
  readonly mode: ShownBootMode | null;
  /** What the settings of the firmware say: unlike the mode of the override, nobody changes that in passing. */
  readonly biosMode: ShownBootMode | null;
  readonly secureBoot: (ReturnType<typeof readSecureBoot> & { readonly bios: boolean | null }) | null;
  readonly disagreements: readonly string[];
}

/** Puts together what the system, its BIOS and its secure boot show; null where that resource was not read. */
export function readBootSetting(system: unknown, bios: unknown, secureBoot: unknown): BootSetting {
  const settings = readFirmwareSettings(bios);
  const override = readBootMode(system);
  const shown = secureBoot === null ? null : readSecureBoot(secureBoot);
  const mode = settings.mode ?? override;
  const disagreements: string[] = [];
  if (settings.mode !== null && override !== null && settings.mode !== override) {
    disagreements.push(`boot mode: ${settings.mode} by the BIOS, ${override} by the boot override`);
  }
  const told = [
    ['set', shown?.enabled],
    ['of the running system', shown?.current],
    ['by the BIOS', settings.secureBoot],
  ].filter((each): each is [string, boolean] => typeof each[1] === 'boolean');
  if (new Set(told.map(([, on]) => on)).size > 1) {
    disagreements.push(`secure boot: ${told.map(([who, on]) => `${word(on)} ${who}`).join(', ')}`);
  }
  if (told.some(([, on]) => on) && mode === 'Legacy') {
    disagreements.push('secure boot is enabled, and the boot mode is Legacy');
  }
  const none = shown === null && settings.secureBoot === null;
  return {
    mode,
    biosMode: settings.mode,
    secureBoot: none
      ? null
      : { ...(shown ?? { enabled: null, current: null, mode: null }), bios: settings.secureBoot },
    disagreements,
  };
}

/** Last states of a boot in which the firmware has not yet found what there is. */
const BEFORE_HARDWARE =
  /^(primaryprocessorinitializationstarted|businitializationstarted|memoryinitializationstarted|secondaryprocessorinitializationstarted|pciresourceconfigstarted)$/i;

/** Whether a system that is on is still finding its hardware. A BMC that does not tell is believed to be through. */
export const isStarting = (system: unknown): boolean =>
  BEFORE_HARDWARE.test(asText(at(system, 'BootProgress', 'LastState')) ?? '');

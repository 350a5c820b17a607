import type { TrustedModule } from './inspection.ts';
import { refusedSettings } from './bios-standing.ts';
import { asObject, at, type Loose } from './read.ts';
import { readTrustedComponent, readTrustedModules } from './readers.ts';

/** How one maker's BIOS is asked to clear its TPM at the next reset. */
export interface TpmClearRow {
  /** The BIOS attribute. Some makers put a number behind its name. */
  readonly attribute: RegExp;
  /** What it reads when nothing is asked. An attribute of that name with other values is another setting. */
  readonly idle: readonly string[];
  readonly clear: string;
  /** Where this is known from. */
  readonly source: string;
}

/**
 * Known attributes. The first one that a BIOS shows, with one of these values, is used. What a maker calls
 * TCG006 is the TPM's pending operation with some and another switch with others: the values tell.
 */
export const TPM_CLEAR: readonly TpmClearRow[] = [
  {
    attribute: /^Tpm2Hierarchy$/,
    idle: ['Enabled', 'Disabled'],
    clear: 'Clear',
    source: "Dell: BIOS attribute registry of iDRAC 9 (help text of 'TPM Hierarchy'); libredfish, dell.rs",
  },
  {
    attribute: /^TpmCommand$/,
    idle: ['None', 'Activate', 'Deactivate'],
    clear: 'Clear',
    source: 'Dell, TPM 1.2: omsdk, enums/iDRAC/BIOS.py (TpmCommandTypes)',
  },
  {
    attribute: /^Tpm2Operation$/,
    idle: ['NoAction'],
    clear: 'Clear',
    source: "HPE: BIOS attribute registry A42 1.2.60 ('TPM 2.0 Operation'); libredfish, hpe.rs",
  },
  {
    attribute: /^TpmOperation$/,
    idle: ['NoAction', 'Enable', 'Disable'],
    clear: 'Clear',
    source: "HPE, TPM 1.2: BIOS attribute registry A42 1.2.60 ('TPM 1.2 Operation')",
  },
  {
    attribute: /^TpmOperation$/,
    idle: ['None'],
    clear: 'TPM Clear',
    source: 'NVIDIA DGX H100 (AMI): libredfish, nvidia_viking.rs',
  },
  {
    attribute: /^TrustedComputingGroup_DeviceOperation$/,
    idle: ['None'],
    clear: 'Clear',
    source: 'Lenovo XCC: libredfish, lenovo.rs and oem/lenovo.rs (TPMOperation)',
  },
  {
    attribute: /^PendingOperation(_[0-9A-F]{4})?$/,
    idle: ['None'],
    clear: 'TPM Clear',
    source: 'Supermicro: libredfish, supermicro.rs',
  },
  {
    attribute: /^TCG006$/,
    idle: ['None'],
    clear: 'TPM Clear',
    source: 'AMI MegaRAC: libredfish, ami.rs; the idle value from the BIOS of a ZT server in sushy',
  },
  {
    attribute: /^TCG008$/,
    idle: ['None'],
    clear: 'TPM Clear',
    source: 'Giga Computing R263 (AMI), where TCG006 is another switch: libredfish, giga_computing_ami.rs',
  },
];

/** An attribute that clears the TPM when it is set to this value and the system is reset. */
export interface TpmClear {
  readonly attribute: string;
  readonly value: string;
}

/** How this BIOS is asked to clear the TPM; undefined where no row of the table fits. */
export function tpmClearOf(attributes: Loose): TpmClear | undefined {
  const names = Object.keys(attributes).toSorted();
  for (const { attribute, idle, clear } of TPM_CLEAR) {
    const name = names.find(
      (each) => attribute.test(each) && [...idle, clear].includes(String(attributes[each])),
    );
    if (name !== undefined) return { attribute: name, value: clear };
  }
  return undefined;
}

const isInUse = ({ state }: TrustedModule): boolean => !/^(absent|disabled)$/i.test(state ?? '');

/** The TPMs that a system shows as present and in use, in words: its own, or else those among trusted components. */
export function tpmsOf(system: unknown, components: readonly unknown[] = []): string[] {
  const own = readTrustedModules(system).filter(isInUse);
  const others = components.map(readTrustedComponent).filter((module) => module !== null);
  return (own.length > 0 ? own : others.filter(isInUse)).map(({ type }) => type ?? 'TPM');
}

/** Where a clear stands: waiting for a reset, refused by the firmware, or no longer (or not yet) asked for. */
export type TpmStanding =
  | { readonly state: 'pending' }
  | { readonly state: 'refused'; readonly why: string }
  | { readonly state: 'idle' };

/**
 * Reads where a clear stands from the BIOS and its settings object. Some settings objects show every
 * attribute, some only those that wait; some BIOSes show the attribute itself as set until they have done it.
 */
export function tpmStanding(bios: unknown, settings: unknown, clear: TpmClear): TpmStanding {
  const shows = (body: unknown): boolean => asObject(at(body, 'Attributes'))[clear.attribute] === clear.value;
  if (shows(settings) || shows(bios)) return { state: 'pending' };
  const why = refusedSettings(bios, [clear.attribute])[clear.attribute];
  if (why !== undefined) return { state: 'refused', why };
  return { state: 'idle' };
}

import { fail } from '../../../core/errors/failure.ts';
import { checkSettings, type SettingsCheck } from '../../../core/redfish/bios-check.ts';
import { biosStanding, type BiosStanding } from '../../../core/redfish/bios-standing.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { serviceWork, type BiosSettings } from '../../../core/service-work.ts';
import type { EvidenceRef } from '../../../core/operations.ts';
import type { Json } from '../../../core/json.ts';
import { attributesOf, readBios, type BiosFound } from '../../redfish/bios.ts';
import { readBiosRegistry, type RegistryFound } from '../../redfish/bios-registry.ts';
import { shownText } from '../../redfish/errors.ts';
import type { SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext } from '../driver.ts';

/** One look at the BIOS: what it has, what it takes, and where the settings that are asked for stand. */
export interface BiosLook {
  readonly wanted: BiosSettings;
  readonly found: BiosFound;
  readonly schema: RegistryFound;
  readonly check: SettingsCheck;
  readonly standing: BiosStanding;
}

/** The settings of the request, or else those of the machine type. */
export function wantedSettings({ input, node }: StepContext): BiosSettings {
  const wanted = serviceWork(input.args).bios?.settings ?? node.machineType.bios;
  if (wanted !== undefined) return wanted;
  throw fail('BIOS_SETTINGS_MISSING', `Machine type ${node.machineType.name} says nothing of BIOS settings.`);
}

export async function lookAtBios(context: StepContext, bmc: Bmc, system: SystemFound): Promise<BiosLook> {
  const wanted = wantedSettings(context);
  const found = await readBios(bmc, system);
  if (found === null) throw readOnly('the BMC shows no BIOS resource');
  const current = attributesOf(found.bios);
  if (Object.keys(current).length === 0) throw readOnly('the BMC shows no attributes of the BIOS');
  const schema = await readBiosRegistry(bmc, system, found.bios);
  const check = checkSettings(schema.registry, current, wanted);
  const standing = biosStanding(found.bios.body, found.settings?.body, wanted, check.types);
  return { wanted, found, schema, check, standing };
}

/** Fails where something is to be written, and cannot be: by this BMC at all, or as it was asked. */
export function requireSettable({ found, check, standing }: BiosLook): void {
  if (standing.missing.length > 0 && found.settings === null) {
    throw readOnly(`there is no settings object, and these differ: ${shownList(standing.missing)}`);
  }
  const { problems } = check;
  if (problems.length === 0) return;
  throw fail('BIOS_SETTING_INVALID', `The BIOS does not take what is asked for: ${shownList(problems)}.`, {
    details: { problems: problems.slice(0, 64) },
  });
}

const readOnly = (why: string): Error => fail('BIOS_READ_ONLY', `The BIOS can only be read: ${why}.`);

/** What people are told of a look besides where the settings stand. */
export const remarksOf = ({ schema, check, standing }: BiosLook): (string | undefined)[] => [
  schema.registry === null ? `${schema.why}: ranges could not be checked` : undefined,
  ...check.remarks.slice(0, 4),
  standing.foreign.length === 0
    ? undefined
    : `somebody else's settings wait for the reset too: ${shownList(standing.foreign.slice(0, 16))}`,
];

/** Keeps what was asked for beside what the BIOS has and what waits; nothing of its other attributes. */
export function keepBios(
  context: StepContext,
  bmc: Bmc,
  { wanted, found, schema, standing }: BiosLook,
  more: { readonly [key: string]: Json } = {},
): Promise<EvidenceRef> {
  const next = found.settings === null ? {} : attributesOf(found.settings);
  const plain = (value: unknown): Json =>
    typeof value === 'string'
      ? shownText(value).slice(0, 200)
      : typeof value === 'object'
        ? null
        : (value as Json);
  return context.evidence('bios', {
    asked: 'the BIOS settings that were asked for: as asked, as they are, and what waits for a reset',
    of: bmc.origin,
    answer: {
      registry: schema.registry === null ? null : schema.name,
      attributes: Object.fromEntries(
        Object.entries(wanted).map(([name, asked]) => [
          name,
          {
            asked: plain(asked),
            is: plain(standing.values[name]),
            ...(Object.hasOwn(next, name) ? { next: plain(next[name]) } : {}),
          },
        ]),
      ),
      foreign: standing.foreign.slice(0, 64),
      refused: Object.fromEntries(
        Object.entries(standing.refused).map(([name, why]) => [name, shownText(why)]),
      ),
      ...more,
    },
  });
}

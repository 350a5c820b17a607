import { objectOf, textOf } from '../../../core/agent/read.ts';
import { fail, notYet } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { tpmClearOf, tpmStanding, type TpmClear, type TpmStanding } from '../../../core/redfish/tpm.ts';
import { attributesOf, readBios, writeBios, type BiosFound } from '../../redfish/bios.ts';
import { refusal, shownText } from '../../redfish/errors.ts';
import type { SystemFound } from '../../redfish/service.ts';
import { tpmsShown } from '../../redfish/trusted-components.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';

const LOOK_AGAIN_MS = 10_000;

/**
 * Asks the firmware to clear the TPM at the next reset, which is the boot of the deploy agent. A clear that
 * waits already is not asked for again; one that is asked for twice does no harm.
 */
export const clearTpm: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const nothing = (summary: string) => ({ summary, data: { tpm: { asked: null } } });
    if (context.node.machineType.tpm === 'keep') return nothing('The contract keeps what is in a TPM.');
    const tpms = await tpmsShown(bmc, system);
    if (tpms.length === 0) return nothing('The BMC shows no TPM.');
    const { found, clear } = await requireClear(bmc, system, tpms);
    const before = standingOf(found, clear);
    if (before.state !== 'pending') {
      const answer = await writeBios(bmc, found, { [clear.attribute]: clear.value });
      if (answer.status >= 400) throw refusal(answer, `Asking for ${words(clear)}`);
    }
    const after = await readBios(bmc, system);
    if (after === null || standingOf(after, clear).state !== 'pending') {
      const message = `The BMC accepted ${words(clear)}, and does not show it as waiting for a reset.`;
      throw notYet('TPM_NOT_CLEARED', message, LOOK_AGAIN_MS);
    }
    const evidence = await keep(context, bmc, tpms, clear, after);
    return {
      summary: sentence(
        `${tpms.join(', ')}: ${words(clear)} waits for the next reset`,
        before.state === 'pending' ? 'it was asked for before' : undefined,
      ),
      data: { tpm: { asked: { ...clear } } },
      evidence: [evidence],
    };
  });

/** After the reset: the firmware has taken the setting, and refused nothing. */
export const verifyTpm: StepFunction = async (context) => {
  const { asked } = objectOf(context.input.data['tpm']);
  const { attribute, value } = objectOf(asked);
  const clear = { attribute: textOf(attribute) ?? '', value: textOf(value) ?? '' };
  if (clear.attribute === '') return { summary: 'No TPM was to be cleared.' };
  return onSystem(context, async (bmc, system) => {
    const found = await readBios(bmc, system);
    if (found?.settings === undefined || found.settings === null) {
      throw notYet('TPM_NOT_CLEARED', 'The BMC does not show the settings of its BIOS now.', LOOK_AGAIN_MS);
    }
    const standing = standingOf(found, clear);
    if (standing.state === 'refused') {
      throw fail('TPM_NOT_CLEARED', `The firmware refused ${words(clear)}: ${shownText(standing.why)}`);
    }
    if (standing.state === 'pending') {
      const message = `The system was reset, and ${words(clear)} still waits.`;
      throw notYet('TPM_NOT_CLEARED', message, LOOK_AGAIN_MS);
    }
    const evidence = await keep(context, bmc, await tpmsShown(bmc, system), clear, found);
    return {
      summary: sentence(`${words(clear)} was taken at the reset`, 'nothing waits any more'),
      evidence: [evidence],
    };
  });
};

const words = ({ attribute, value }: TpmClear): string => `BIOS attribute ${attribute} = ${value}`;

const standingOf = ({ bios, settings }: BiosFound, clear: TpmClear): TpmStanding =>
  tpmStanding(bios.body, settings?.body, clear);

/** How this BIOS is asked, and where; fails where nobody knows. */
async function requireClear(
  bmc: Bmc,
  system: SystemFound,
  tpms: readonly string[],
): Promise<{ found: BiosFound & { settings: NonNullable<BiosFound['settings']> }; clear: TpmClear }> {
  const found = await readBios(bmc, system);
  const unsupported = (why: string): Error =>
    fail('TPM_CLEAR_UNSUPPORTED', `The BMC shows a TPM (${tpms.join(', ')}), and ${why}.`);
  if (found === null) throw unsupported('no BIOS resource');
  const clear = tpmClearOf(attributesOf(found.bios));
  if (clear === undefined) throw unsupported('none of its BIOS attributes is known to clear it');
  const { settings } = found;
  if (settings === null) throw unsupported('no settings object of its BIOS that could be written to');
  return { found: { ...found, settings }, clear };
}

/** The attributes that speak of a TPM, as the BIOS has them and as they will be. */
function keep(context: StepContext, bmc: Bmc, tpms: readonly string[], clear: TpmClear, found: BiosFound) {
  const about = (attributes: object): Json =>
    Object.fromEntries(
      Object.entries(attributes)
        .filter(([name]) => name === clear.attribute || /tpm|trusted/i.test(name))
        .slice(0, 64)
        .map(([name, value]) => [name, String(value).slice(0, 200)]),
    );
  return context.evidence('tpm', {
    asked: 'TPM, and the BIOS settings that speak of it',
    of: bmc.origin,
    answer: {
      tpms: [...tpms],
      ...clear,
      bios: about(attributesOf(found.bios)),
      settings: found.settings === null ? null : about(attributesOf(found.settings)),
    },
  });
}

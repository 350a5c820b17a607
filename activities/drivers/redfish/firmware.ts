import { fail, notYet, RackwrightError } from '../../../core/errors/failure.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { shownChange } from '../../../core/redfish/firmware.ts';
import { readPower } from '../../../core/redfish/power.ts';
import { textsOf } from '../../../core/redfish/read.ts';
import { bmcOrigin } from '../../redfish/endpoint.ts';
import { readResource } from '../../redfish/service.ts';
import { forgetRefusedCredentials } from '../../redfish/session.ts';
import { readInventory, readUpdateService, requireSimpleUpdate } from '../../redfish/update-service.ts';
import { verifySource } from '../../redfish/update-source.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { baselineOf, compareWith, idsOf, requireWindow, type Compared } from './baseline.ts';
import { onSystem, sentence } from './bmc.ts';
import { bringAll } from './firmware-update.ts';

/** Logins that a BMC refuses while it comes back from its own update: so few that no account is locked. */
const MOST_LOGINS = 2;
const LOGIN_AGAIN_MS = 60_000;

/** Everything that can be wrong with an update is found here, before anything is written. */
export const checkFirmware: StepFunction = async (context) => {
  const components = baselineOf(context);
  return onSystem(context, async (bmc, system) => {
    const service = await readUpdateService(bmc, system);
    const inventory = await readInventory(bmc, service);
    const compared = compareWith(components, inventory);
    const differing = compared.filter(({ standing }) => standing.differing.length > 0);
    const data = {
      updatedFirmware: idsOf(components, inventory.entries),
      toUpdate: differing.map(({ wanted }) => wanted.component),
    };
    if (differing.length === 0) {
      return { summary: sentence('everything is at the baseline', versions(compared)), data };
    }
    for (const { wanted } of differing) requireWindow(context, wanted);
    requireSimpleUpdate(bmc, service);
    const without = differing.filter(({ wanted }) => wanted.checksum === undefined);
    if (without.length > 0) {
      throw fail(
        'FIRMWARE_FILE_MISSING',
        `The baseline has no file for ${shownList(without.map(change))}. Nothing was written.`,
      );
    }
    for (const { wanted } of differing) await verifySource({ ...wanted, checksum: wanted.checksum! });
    return {
      summary: sentence(
        `to be updated: ${shownList(differing.map(change))}`,
        differing.length < compared.length
          ? `the other ${compared.length - differing.length} stay`
          : undefined,
        'each file is at its source, with the SHA-256 of the contract',
      ),
      data,
    };
  });
};

const change = ({ wanted, standing }: Compared): string =>
  `${wanted.component} ${shownChange(standing.differing[0]!.version, wanted.version)}`;

const versions = (compared: readonly Compared[]): string =>
  shownList(compared.map(({ wanted }) => `${wanted.component} ${wanted.version}`));

/**
 * Brings each component to the baseline, one after the other. The inventory of the BMC has the last word;
 * what it shows already is not touched.
 */
export const updateFirmware: StepFunction = async (context) => {
  const components = baselineOf(context);
  try {
    return await onSystem(context, async (bmc, system) => {
      const service = await readUpdateService(bmc, system);
      const inventory = await bringAll({ context, bmc, system, service }, components);
      const compared = compareWith(components, inventory);
      const before = textsOf(context.input.data['updatedFirmware']);
      const power = readPower((await readResource(bmc, system.uri)).body);
      const evidence = await context.evidence('firmware', {
        asked: 'firmware inventory',
        of: bmc.origin,
        answer: inventory.entries.map(({ id, name, version }) => ({ id, name, version })),
      });
      const updated = textsOf(context.input.data['toUpdate']);
      return {
        summary: sentence(
          updated.length === 0 ? 'nothing to do' : `updated ${updated.join(', ')}`,
          `the inventory shows ${versions(compared)}`,
        ),
        data: {
          updatedFirmware: [...new Set([...before, ...idsOf(components, inventory.entries)])],
          firmware: Object.fromEntries(compared.map(({ wanted }) => [wanted.component, wanted.version])),
          ...(power === 'on' || power === 'off' ? { power } : {}),
        },
        evidence: [evidence],
      };
    });
  } catch (error) {
    throw await whileItReturns(context, error);
  }
};

/**
 * A BMC that has updated itself may come back before its accounts do. Its refusal of a login that was right
 * a moment ago is waited out a few times, and is final after that.
 */
async function whileItReturns({ node, site }: StepContext, error: unknown): Promise<unknown> {
  if (!(error instanceof RackwrightError) || error.failure.code !== 'BMC_AUTH_FAILED') return error;
  const entry = await site.updates.read(node.name);
  if (entry?.stage !== 'asked' || entry.logins >= MOST_LOGINS || node.bmc === undefined) return error;
  await site.updates.write(node.name, { ...entry, logins: entry.logins + 1 });
  forgetRefusedCredentials(bmcOrigin(node.bmc.address));
  return notYet('FIRMWARE_NOT_SHOWN', `While the BMC comes back: ${error.message}`, LOGIN_AGAIN_MS);
}

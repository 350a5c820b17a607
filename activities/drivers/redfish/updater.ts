import { notYet, type RackwrightError } from '../../../core/errors/failure.ts';
import type { FirmwareStanding } from '../../../core/redfish/firmware.ts';
import type { SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { UpdateEntry } from '../../redfish/update-journal.ts';
import { readInventory, type UpdateService } from '../../redfish/update-service.ts';
import type { StepContext } from '../driver.ts';
import { compareWith, type BaselineComponent } from './baseline.ts';

/** What an update works with. */
export interface Updater {
  readonly context: StepContext;
  readonly bmc: Bmc;
  readonly system: SystemFound;
  readonly service: UpdateService;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** An update is under way: to be looked at again. */
export const later = (why: string, ms = 10 * SECOND): RackwrightError =>
  notYet('FIRMWARE_NOT_SHOWN', `Not yet: ${why}.`, ms);

/** How the BMC's firmware stands to a component now. */
export async function look({ bmc, service }: Updater, wanted: BaselineComponent): Promise<FirmwareStanding> {
  return compareWith([wanted], await readInventory(bmc, service))[0]!.standing;
}

/** What the journal has of the node. */
export const recall = ({ context: { site, node } }: Updater): Promise<UpdateEntry | undefined> =>
  site.updates.read(node.name);

/** Writes the journal; what is written is what comes back. */
export async function note(
  { context: { site, node } }: Updater,
  entry: UpdateEntry,
  over: Partial<UpdateEntry> = {},
): Promise<UpdateEntry> {
  const next = { ...entry, ...over };
  await site.updates.write(node.name, next);
  return next;
}

export const forget = ({ context: { site, node } }: Updater): Promise<void> => site.updates.remove(node.name);

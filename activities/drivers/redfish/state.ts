import { isOccupied, isOurs } from '../../../core/redfish/media.ts';
import { readBoot, shownBoot } from '../../../core/redfish/boot.ts';
import { readPower } from '../../../core/redfish/power.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { listMedia } from '../../redfish/media-drives.ts';
import type { StepContext } from '../driver.ts';
import { onSystem } from './bmc.ts';
import { mediaOurs } from './boot-session.ts';

/** Power, boot and occupied media as the BMC shows them; null where the contract has no BMC of the node. */
export async function redfishState(
  context: Pick<StepContext, 'node' | 'inventory' | 'signal' | 'secret'>,
): Promise<JsonObject | null> {
  if (context.node.bmc === undefined) return null;
  return onSystem(context, async (bmc, system) => ({
    power: readPower(system.body),
    boot: shownBoot(readBoot(system.body)) as Json,
    media: (await listMedia(bmc, system))
      .filter(isOccupied)
      .map((slot) => ({ drive: slot.uri, ours: isOurs(slot, mediaOurs(context)) })),
  }));
}

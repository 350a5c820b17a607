import { isOccupied, isOurs } from '../../../core/redfish/media.ts';
import { readBoot, shownBoot } from '../../../core/redfish/boot.ts';
import { readPower } from '../../../core/redfish/power.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { listMedia } from '../../redfish/media-drives.ts';
import { findSystem } from '../../redfish/service.ts';
import { withBmc } from '../../redfish/transport.ts';
import type { StepContext } from '../driver.ts';
import { endpointOf } from './bmc.ts';
import { mediaOurs } from './boot-session.ts';

/** Power, boot and occupied media as the BMC shows them; null where the contract has no BMC of the node. */
export async function redfishState(
  context: Pick<StepContext, 'node' | 'inventory' | 'signal' | 'secret'>,
): Promise<JsonObject | null> {
  const { node, signal } = context;
  if (node.bmc === undefined) return null;
  return withBmc(
    await endpointOf(context),
    async (bmc) => {
      const system = await findSystem(bmc, node.bmc?.system);
      const media = await listMedia(bmc, system);
      return {
        power: readPower(system.body),
        boot: shownBoot(readBoot(system.body)) as Json,
        media: media
          .filter(isOccupied)
          .map((slot) => ({ drive: slot.uri, ours: isOurs(slot, mediaOurs(context)) })),
      };
    },
    { signal },
  );
}

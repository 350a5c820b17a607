import { randomBytes } from 'node:crypto';
import { effectiveNode, type EffectiveNode } from '../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { fail } from '../../../core/errors/failure.ts';
import { holdsProbe } from '../../../core/reachability/media-probe.ts';
import { gatewayUrlOf, probeUrl } from '../../agent/urls.ts';
import { endpointOf } from '../../drivers/redfish/bmc.ts';
import { eject } from '../../redfish/media-actions.ts';
import { listMedia } from '../../redfish/media-drives.ts';
import { findSystem, type SystemFound } from '../../redfish/service.ts';
import { withBmc, type Bmc } from '../../redfish/transport.ts';
import type { CheckContext } from '../check.ts';
import { reachabilityOf } from './tries.ts';

const EJECT_MS = 90_000;
const AGAIN_MS = 2_000;
/** How long a probe image is given away at most. */
const OPEN_SECONDS = 900;

/** Why no BMC is given a probe image, going by the contract; undefined: the one of `acceptance.node` is. */
export function noProbe(inventory: Inventory): string | undefined {
  const name = inventory.acceptance?.node;
  if (name === undefined) return 'no node is dedicated (`acceptance.node`)';
  const { driver, bmc } = effectiveNode(inventory, name);
  if (driver !== 'redfish' || bmc === undefined) {
    return `${name} is carried by Ironic: its BMC fetches from a publisher of Ironic's conductor, which only a deployment makes it do; gate 7 shows it`;
  }
  if (inventory.media === undefined) return 'the contract has no publisher of media (`media`)';
  return reachabilityOf(inventory).bmcFetches === 'boot'
    ? 'BMCs fetch media only when a server boots, by the contract (`acceptance.reachability.bmcFetches`); gate 7 shows it'
    : undefined;
}

/** The dedicated node; checks that there is none for are skipped before. */
export const nodeOf = ({ inventory }: CheckContext): EffectiveNode =>
  effectiveNode(inventory, inventory.acceptance!.node!);

/** Opens the BMC of the dedicated node. */
export async function onBmc<T>(
  context: CheckContext,
  work: (bmc: Bmc, system: SystemFound) => Promise<T>,
): Promise<T> {
  const node = nodeOf(context);
  const { secret, signal } = context;
  return withBmc(
    await endpointOf({ node, secret }),
    async (bmc) => work(bmc, await findSystem(bmc, node.bmc?.system)),
    {
      signal,
    },
  );
}

/** Opens a probe image to the BMC of the node. Returns where it is. */
export async function openProbe(context: CheckContext, generation: number): Promise<string> {
  const { site, inventory, input } = context;
  const { name: node } = nodeOf(context);
  const id = randomBytes(12).toString('hex');
  await site.probes.open(node, { id, contractHash: input.contractHash });
  const door = { tokens: site.tokens, gatewayUrl: gatewayUrlOf(inventory, 'bmc') };
  const expires = Math.floor(Date.now() / 1000) + OPEN_SECONDS;
  return probeUrl(door, { site: site.name, node, requestId: id, generation }, { epoch: 0, expires });
}

/**
 * Has no drive hold a probe image, and believes nothing but what the drives show. No other media is touched, whoever's
 * it is. Throws MEDIA_NOT_EJECTED.
 */
export async function ejectProbes(bmc: Bmc, system: SystemFound): Promise<{ readonly ejected: string[] }> {
  const ejected = new Set<string>();
  for (const ends = Date.now() + EJECT_MS; ; await bmc.pause(AGAIN_MS)) {
    const held = (await listMedia(bmc, system)).filter(holdsProbe);
    if (held.length === 0) return { ejected: [...ejected] };
    if (Date.now() > ends) {
      const drives = held.map(({ uri }) => uri).join(', ');
      throw fail('MEDIA_NOT_EJECTED', `The probe image is still shown in ${drives} after the eject.`);
    }
    for (const slot of held) {
      ejected.add(slot.uri);
      await eject(bmc, slot, { ours: [] });
    }
  }
}

import { imageOf } from '../../../contracts/inventory/effective.ts';
import { guestPorts } from '../../../core/guest-network.ts';
import { configDrive } from '../../agent/config-drive.ts';
import { nodeUuid } from '../../agent/identity.ts';
import { firstBootUrl, gatewayUrlOf } from '../../agent/urls.ts';
import type { StepContext } from '../driver.ts';

/**
 * The config drive of the guest, in the form that its image reads, with user data behind its reference. It
 * goes to the agent and nowhere else. Throws CONFIG_DRIVE_TOO_LARGE, SECRET_UNRESOLVED.
 */
export async function guestDrive({ input, inventory, node, site, secret }: StepContext): Promise<string> {
  const { hostname, sshKeys, userData, image } = input.args;
  const door = { tokens: site.tokens, gatewayUrl: gatewayUrlOf(inventory, 'guest') };
  return configDrive({
    form: imageOf(inventory, String(image)).configDrive,
    uuid: nodeUuid(input.ref.site, input.ref.node),
    hostname: typeof hostname === 'string' ? hostname : input.ref.node,
    publicKeys: Array.isArray(sshKeys) ? sshKeys.filter((key) => typeof key === 'string') : [],
    callback: firstBootUrl(door, input.ref, input.window),
    network: guestPorts(node.ports, inventory.networks),
    userData: typeof userData === 'string' ? Buffer.from(await secret(userData)) : undefined,
  });
}

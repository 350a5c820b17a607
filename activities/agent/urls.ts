import { API_VERSION } from '../../core/agent/messages.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { fail } from '../../core/errors/failure.ts';
import type { OperationRef, TokenWindow } from '../../core/operations.ts';
import { PROBE_FILE } from '../../core/reachability/media-probe.ts';
import type { Tokens } from '../tokens/tokens.ts';

type Door = { readonly tokens: Tokens; readonly gatewayUrl: string };

/** Where the gateway is reached by those who ask. Throws MEDIA_NOT_CONFIGURED. */
export function gatewayUrlOf({ media }: Inventory, by: 'agent' | 'bmc' | 'guest'): string {
  if (media !== undefined) {
    const own = by === 'agent' ? undefined : by === 'bmc' ? media.bmcGatewayUrl : media.guestGatewayUrl;
    return own ?? media.gatewayUrl;
  }
  throw fail('MEDIA_NOT_CONFIGURED', 'The inventory has no `media`: no base ISO and no gateway URL.');
}

/** The base ISO for an architecture. Throws MEDIA_NOT_CONFIGURED. */
export function baseIsoOf(inventory: Inventory, architecture: 'x86_64' | 'aarch64'): string {
  const iso = inventory.media?.iso;
  const path = typeof iso === 'string' ? iso : iso?.[architecture];
  if (path !== undefined) return path;
  throw fail('MEDIA_NOT_CONFIGURED', `The inventory has no base ISO for ${architecture} in \`media.iso\`.`);
}

/** What the contract says that the base ISO of an architecture is; undefined where it does not. */
export function baseChecksumOf(
  { media }: Pick<Inventory, 'media'>,
  architecture: 'x86_64' | 'aarch64' | undefined,
): string | undefined {
  const checksum = media?.checksum;
  if (checksum === undefined || typeof checksum === 'string') return checksum;
  return architecture && checksum[architecture];
}

/** Where the agent of this boot finds its conductor. */
export const agentUrl = (door: Door, ref: OperationRef, window: TokenWindow): string =>
  `${door.gatewayUrl}/agent/${door.tokens.mint(ref, 'agent', window)}`;

/** The deploy media of this boot. */
export const mediaUrl = (door: Door, ref: OperationRef, window: TokenWindow): string =>
  `${door.gatewayUrl}/media/${door.tokens.mint(ref, 'media', window)}/${ref.node}.iso`;

/** The image that this boot writes. */
export const imageUrl = (door: Door, ref: OperationRef, window: TokenWindow, image: string): string =>
  `${door.gatewayUrl}/images/${door.tokens.mint(ref, 'image', window)}/${encodeURIComponent(image)}`;

/** The image that a BMC is given to show that it reaches the gateway. */
export const probeUrl = (
  door: Door,
  ref: Pick<OperationRef, 'site' | 'node' | 'requestId' | 'generation'>,
  window: TokenWindow,
): string => `${door.gatewayUrl}/media/${door.tokens.mint(ref, 'probe', window)}/${PROBE_FILE}`;

/** Where the guest says that it is up. */
export const firstBootUrl = (door: Door, ref: OperationRef, window: TokenWindow): string =>
  `${door.gatewayUrl}/firstboot/${door.tokens.mint(ref, 'first-boot', window)}`;

/** What every media URL of ours begins with: whose image is in a drive is told by it. */
export const mediaPrefix = (gatewayUrl: string): string => `${gatewayUrl}/media/`;

/**
 * What the agent reads from its media. Never `ipa-debug`: with it the agent logs its token.
 * @param listens whether it listens for LLDP of the switches, each time that it looks at its hardware
 */
export const mediaParameters = (url: string, listens: boolean): { readonly [key: string]: string } => ({
  'ipa-api-url': url,
  'ipa-lookup-timeout': '1800',
  // An agent that asks for it while nobody answers takes us for an old Ironic, without tokens and TLS.
  'ipa-ironic-api-version': API_VERSION,
  ...(listens ? LLDP : {}),
});

/**
 * Switches speak every 30 seconds, and the agent listens until nobody new has spoken for this long: 50
 * seconds in all, which one request and one attempt of a step have room for. Its own 30 would take 60.
 */
const LLDP = { 'ipa-collect-lldp': '1', 'ipa-lldp-timeout': '20' } as const;

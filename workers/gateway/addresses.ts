import { BlockList, isIP, isIPv4 } from 'node:net';
import type { EffectiveNode } from '../../contracts/inventory/effective.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { fail } from '../../core/errors/failure.ts';

/** An address as its family has it: an IPv4 address in IPv6's clothes is an IPv4 address. */
export const plainAddress = (address: string): string =>
  address.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/** Whether an address lies in a network such as 10.1.0.0/24. */
export function isWithin(address: string, cidr: string): boolean {
  const [network = '', bits = ''] = cidr.split('/');
  if (isIP(address) === 0 || isIP(network) === 0) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

const isLoopback = (address: string): boolean => isWithin(address, '127.0.0.0/8') || address === '::1';

/** The networks of a kind; a network that states no kind is judged by its name. */
export const networksOf = (inventory: Inventory, kind: 'provisioning' | 'management') =>
  Object.entries(inventory.networks)
    .filter(([name, network]) => (network.kind ?? name) === kind)
    .map(([, network]) => network);

/**
 * Checks where an agent wants to be called: https, an address of a provisioning network of the contract,
 * and the very address that the heartbeat came from, unless the contract says that this network is
 * behind NAT. Throws CALLBACK_REFUSED.
 *
 * @returns the URL in its plain form: scheme, host and port
 */
export function checkedCallback(given: string, peer: string, inventory: Inventory): string {
  const refuse = (why: string): Error => fail('CALLBACK_REFUSED', `The callback URL ${why}.`);
  if (!URL.canParse(given)) throw refuse('is not a URL');
  const url = new URL(given);
  if (url.protocol !== 'https:') throw refuse('is not https');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refuse('carries more than a host and a port');
  }
  if (url.pathname !== '/') throw refuse('has a path');
  const host = plainAddress(url.hostname);
  if (isIP(host) === 0) throw refuse('has a name for a host, and not an address');
  const network = networksOf(inventory, 'provisioning').find(({ cidr }) => isWithin(host, cidr));
  if (network === undefined) throw refuse(`has the address ${host}, which is on no provisioning network`);
  const from = plainAddress(peer);
  if (network.nat !== true && from !== host) {
    throw refuse(`has the address ${host}, and the heartbeat came from ${from}`);
  }
  return url.origin;
}

/**
 * Checks who asks for boot media: the BMC, where the contract has its address. Anyone is let in where the
 * contract has a name for it or a management network behind NAT around it, and a loopback address
 * where the BMC has one too, as emulators do. Throws MEDIA_CLIENT_REFUSED.
 */
export function checkMediaClient(node: EffectiveNode, peer: string, inventory: Inventory): void {
  if (node.bmc === undefined) return;
  const bmc = plainAddress(new URL(node.bmc.address).hostname);
  const from = plainAddress(peer);
  if (isIP(bmc) === 0 || bmc === from || (isLoopback(bmc) && isLoopback(from))) return;
  const network = networksOf(inventory, 'management').find(({ cidr }) => isWithin(bmc, cidr));
  if (network?.nat === true) return;
  throw fail(
    'MEDIA_CLIENT_REFUSED',
    `The deploy media is for the BMC at ${bmc}, and was asked for from ${from}.`,
  );
}

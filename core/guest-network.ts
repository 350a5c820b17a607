import { netmask, parseCidr, type Cidr } from './addresses.ts';
import type { JsonObject } from './json.ts';

/** A port as the contract has it, as far as the guest's network goes. */
export interface NetworkedPort {
  readonly mac: string;
  readonly network?: string | undefined;
  readonly address?: string | undefined;
}

/** A network as the contract has it, as far as the guest's network goes. */
export interface NetworkOfPort {
  readonly cidr: string;
  readonly gateway?: string | undefined;
  readonly dns?: readonly string[] | undefined;
}

/** How the guest is to bring one of its ports up. */
export interface GuestPort {
  readonly mac: string;
  readonly cidr: Cidr;
  /** Null: it asks for one by DHCP. */
  readonly address: string | null;
  /** Of the network, for a port that has its address from the contract; DHCP tells its own. */
  readonly gateway: string | null;
  readonly dns: readonly string[];
}

/** The ports that name a network: with the contract's address, or by DHCP. The others are left to the image. */
export const guestPorts = (
  ports: readonly NetworkedPort[],
  networks: { readonly [name: string]: NetworkOfPort },
): GuestPort[] =>
  ports.flatMap(({ mac, network: name, address }): GuestPort[] => {
    const network = name === undefined ? undefined : networks[name];
    const cidr = network === undefined ? undefined : parseCidr(network.cidr);
    if (network === undefined || cidr === undefined) return [];
    if (address === undefined) return [{ mac, cidr, address: null, gateway: null, dns: [] }];
    return [{ mac, cidr, address, gateway: network.gateway ?? null, dns: network.dns ?? [] }];
  });

const linkId = (index: number): string => `port${index}`;

/** The ports in OpenStack's words: `network_data.json`. */
export function networkData(ports: readonly GuestPort[]): JsonObject {
  const servers = [...new Set(ports.flatMap(({ dns }) => dns))];
  return {
    links: ports.map(({ mac }, index) => ({
      id: linkId(index),
      type: 'phy',
      ethernet_mac_address: mac,
    })),
    networks: ports.map(({ cidr, address, gateway }, index) => {
      const of = { id: `network${index}`, link: linkId(index) };
      const family = `ipv${cidr.family}`;
      if (address === null) return { ...of, type: `${family}_dhcp` };
      const everywhere = cidr.family === 4 ? '0.0.0.0' : '::';
      return {
        ...of,
        type: family,
        ip_address: address,
        netmask: netmask(cidr),
        routes: gateway === null ? [] : [{ network: everywhere, netmask: everywhere, gateway }],
      };
    }),
    services: servers.map((address) => ({ type: 'dns', address })),
  };
}

/** The ports in cloud-init's own words, version 2: `network-config`. */
export const networkConfig = (ports: readonly GuestPort[]): JsonObject => ({
  version: 2,
  ethernets: Object.fromEntries(
    ports.map(({ mac, cidr, address, gateway, dns }, index) => [
      linkId(index),
      {
        match: { macaddress: mac },
        ...(address === null
          ? { [`dhcp${cidr.family}`]: true }
          : {
              addresses: [`${address}/${cidr.bits}`],
              ...(gateway === null
                ? {}
                : { routes: [{ to: cidr.family === 4 ? '0.0.0.0/0' : '::/0', via: gateway }] }),
              ...(dns.length === 0 ? {} : { nameservers: { addresses: [...dns] } }),
            }),
      },
    ]),
  ),
});

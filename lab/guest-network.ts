import type { Hardware } from './hardware.ts';

/** What an installed system has of networks once it is up. */
export interface GuestNetwork {
  readonly addresses: readonly { readonly interface: string; readonly address: string }[];
  readonly routes: readonly {
    readonly destination: string;
    readonly gateway: string | null;
    readonly interface: string | null;
  }[];
  readonly dns: readonly string[];
}

/** DHCP of the lab tells everyone this server. */
const DHCP_DNS = '127.0.0.1';

interface NetworkData {
  readonly links?: readonly { readonly id: string; readonly ethernet_mac_address: string }[];
  readonly networks?: readonly {
    readonly link: string;
    readonly ip_address?: string;
    readonly routes?: readonly { readonly network: string; readonly gateway: string }[];
  }[];
  readonly services?: readonly { readonly address: string }[];
}

interface NetworkConfig {
  readonly ethernets?: {
    readonly [id: string]: {
      readonly match: { readonly macaddress: string };
      readonly addresses?: readonly string[];
      readonly routes?: readonly { readonly to: string; readonly via: string }[];
      readonly nameservers?: { readonly addresses: readonly string[] };
    };
  };
}

interface Static {
  readonly mac: string;
  readonly address: string | undefined;
  readonly gateway: string | undefined;
}

function statics(given: NetworkData & NetworkConfig): { ports: Static[]; dns: string[] } {
  const { links = [], networks = [], services = [], ethernets = {} } = given;
  return {
    ports: [
      ...networks.map((network) => ({
        mac: links.find(({ id }) => id === network.link)?.ethernet_mac_address ?? '',
        address: network.ip_address,
        gateway: network.routes?.[0]?.gateway,
      })),
      ...Object.values(ethernets).map(({ match, addresses, routes }) => ({
        mac: match.macaddress,
        address: addresses?.[0]?.replace(/\/.*$/, ''),
        gateway: routes?.[0]?.via,
      })),
    ],
    dns: [
      ...services.map(({ address }) => address),
      ...Object.values(ethernets).flatMap(({ nameservers }) => nameservers?.addresses ?? []),
    ],
  };
}

/** Brings the network up as the config drive says, in either form; what it does not name comes by DHCP. */
export function guestNetwork({ nics }: Pick<Hardware, 'nics'>, given: unknown = {}): GuestNetwork {
  const { ports, dns } = statics(given as NetworkData & NetworkConfig);
  const own = (mac: string): Static | undefined => ports.find((port) => port.mac === mac);
  const gateway = ports.find((port) => port.gateway !== undefined);
  const by = nics.find(({ mac }) => mac === gateway?.mac) ?? nics[0];
  return {
    addresses: nics.map((nic) => ({ interface: nic.name, address: own(nic.mac)?.address ?? nic.address })),
    routes: [
      { destination: 'default', gateway: gateway?.gateway ?? '127.0.0.1', interface: by?.name ?? null },
    ],
    dns: dns.length === 0 ? [DHCP_DNS] : [...new Set(dns)],
  };
}

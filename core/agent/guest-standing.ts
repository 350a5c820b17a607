import { bareAddress, parseAddress, sameAddress } from '../addresses.ts';
import type { GuestPort } from '../guest-network.ts';
import type { GuestReport } from './guest-report.ts';

/** A guest's clock may differ by this from when its report was taken; on its way it takes a moment, too. */
export const CLOCK_BOUND_SECONDS = 60;

const among = (address: string, all: readonly string[]): boolean =>
  all.some((each) => sameAddress(bareAddress(each), address));
const isStub = (address: string): boolean => /^(127\.|::1$)/.test(bareAddress(address));

/** Servers that the guest asks by itself; those behind a resolver of its own are not seen. Null: not told. */
const namedServers = ({ dns }: GuestReport): readonly string[] | null =>
  dns === null || dns.some(isStub) ? null : dns;

const isDefault = ({ destination }: { readonly destination: string }): boolean =>
  /^(default|0\.0\.0\.0(\/0)?|::(\/0)?)$/i.test(destination);

const wantedDns = (ports: readonly GuestPort[]): string[] => [...new Set(ports.flatMap(({ dns }) => dns))];
const wantedGateways = (ports: readonly GuestPort[]): string[] =>
  ports.flatMap(({ gateway }) => gateway ?? []);
const familyOf = (address: string): number | undefined => parseAddress(bareAddress(address))?.family;

/** What the contract gave the guest of its network, and the guest does not have. What it does not tell is not judged. */
export function networkDifferences(guest: GuestReport, ports: readonly GuestPort[]): string[] {
  const addresses = guest.addresses.map(({ address }) => address);
  const missing = ports.flatMap(({ mac, address }) =>
    address === null || addresses.length === 0 || among(address, addresses)
      ? []
      : [`no address ${address}, which the contract gives port ${mac}`],
  );
  const { routes } = guest;
  const gateways = wantedGateways(ports).flatMap((gateway) => {
    if (routes === null) return [];
    const by = routes.filter(isDefault).flatMap((route) => route.gateway ?? []);
    if (among(gateway, by)) return [];
    const other = by.filter((each) => familyOf(each) === familyOf(gateway));
    return [
      other.length === 0
        ? `no default route by ${gateway}`
        : `its default route is by ${other.slice(0, 2).map(shown).join(', ')}, and the contract's gateway is ${gateway}`,
    ];
  });
  const servers = namedServers(guest);
  const unnamed = servers === null ? [] : wantedDns(ports).filter((server) => !among(server, servers));
  return [...missing, ...gateways, ...unnamed.map((server) => `it does not ask DNS server ${server}`)];
}

/** How far the guest's clock is from when its report was taken, if that is too far. */
export function clockDifferences({ time, receivedAt }: GuestReport): string[] {
  if (time === null || receivedAt === null) return [];
  const seconds = Math.round((time - receivedAt) / 1000);
  if (Math.abs(seconds) <= CLOCK_BOUND_SECONDS) return [];
  return [`its clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead'}`];
}

/** What a guest does not tell, of what would have been judged. */
export const untold = (guest: GuestReport, ports: readonly GuestPort[]): string[] => [
  ...(guest.links.length === 0 ? ['links'] : []),
  ...(guest.routes === null && wantedGateways(ports).length > 0 ? ['routes'] : []),
  ...(namedServers(guest) === null && wantedDns(ports).length > 0 ? ['DNS servers'] : []),
  ...(guest.time === null ? ['time'] : []),
];

const shown = (text: string): string => text.replace(/[^\x21-\x7e]+/g, '?').slice(0, 64);

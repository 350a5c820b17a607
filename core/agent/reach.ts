import { bareAddress, isInNetwork, parseAddress, parseCidr, sameAddress, type Cidr } from '../addresses.ts';
import type { GuestPort } from '../guest-network.ts';
import { isLocal } from './guest.ts';
import type { GuestReport } from './guest-report.ts';

/** How a connection to one address and port went: `open`, `refused`, `silent`, or the name of another error. */
export interface Knock {
  readonly address: string;
  readonly port: number;
  readonly outcome: string;
}

const MOST = 8;

/** Where nobody but the one who asks answers, or more than one: this host, all hosts, and groups. */
const NOBODY = ['0.0.0.0/8', '127.0.0.0/8', '224.0.0.0/3', '::/127', '::ffff:0:0/96', 'ff00::/8'].map(
  (text) => parseCidr(text)!,
);

/**
 * The addresses that a guest is tried at: those that the contract gives it, else those that it tells, as far as
 * anyone else could reach them and they lie in the networks of its ports. None of the own ones, where another
 * would answer for it.
 */
export function addressesToTry(
  guest: Pick<GuestReport, 'addresses'>,
  ports: readonly GuestPort[],
  own: readonly string[],
): string[] {
  const given = ports.flatMap(({ address }) => address ?? []);
  if (given.length > 0) return given.slice(0, MOST);
  const told = guest.addresses
    .filter((each) => !isLocal(each))
    .map(({ address }) => bareAddress(address))
    .filter((address) => {
      const parsed = parseAddress(address);
      if (parsed === undefined || own.some((each) => sameAddress(bareAddress(each), address))) return false;
      const among = (cidrs: readonly Cidr[]): boolean => cidrs.some((cidr) => isInNetwork(parsed, cidr));
      return ports.length === 0 ? !among(NOBODY) : among(ports.map(({ cidr }) => cidr));
    });
  return [...new Set(told)].slice(0, MOST);
}

export const shownEndpoint = ({ address, port }: Pick<Knock, 'address' | 'port'>): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/**
 * How a connection ends that never got onto its way, by what keeps it where it is tried from. Not among these, since
 * it comes from the way or from the guest: EHOSTUNREACH, which is also what a router or a firewall says, or that
 * nobody on the link has the address.
 */
const NOT_TRIED: { readonly [outcome: string]: string } = {
  EACCES: 'its own firewall or routes forbid the connection',
  EPERM: 'its own firewall or routes forbid the connection',
  EADDRNOTAVAIL: 'it has no address or no free port to connect from',
  EAFNOSUPPORT: 'it does not speak that version of IP',
  EAI_AGAIN: 'it finds no address for the name',
  EINVAL: 'it cannot use that address',
  EMFILE: 'it has no file descriptor left',
  ENETUNREACH: 'it has no route to that network',
  ENFILE: 'it has no file descriptor left',
  ENOBUFS: 'it has no memory left for a connection',
  ENOMEM: 'it has no memory left for a connection',
  ENOTFOUND: 'it finds no address for the name',
  failed: 'its attempts fail, and do not say why',
};

/** Why nothing is said of the guest, in words, where no connection that was missed ever got onto its way. */
export function keptAtPlace(missed: readonly Pick<Knock, 'outcome'>[]): string | undefined {
  const words = missed.map(({ outcome }) => NOT_TRIED[outcome]);
  return words.length === 0 || words.includes(undefined) ? undefined : [...new Set(words)].join(', and ');
}

/** Where each port was reached, and how it went at those that were reached nowhere. */
export function reachOf(knocks: readonly Knock[]): {
  readonly reached: readonly Knock[];
  readonly missed: readonly Knock[];
} {
  const numbers = [...new Set(knocks.map(({ port }) => port))];
  const open = (port: number): Knock | undefined =>
    knocks.find((knock) => knock.port === port && knock.outcome === 'open');
  return {
    reached: numbers.flatMap((port) => open(port) ?? []),
    missed: knocks.filter(({ port }) => open(port) === undefined),
  };
}

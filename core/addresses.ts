/** An IP address or a network as numbers; nothing here needs more than the language. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}
export interface Cidr extends Address {
  readonly bits: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

/** Reads an address as people write it; undefined for anything else, such as one with a zone. */
export function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) {
    const value = parseV4(text);
    return value === undefined ? undefined : { family: 4, value };
  }
  const value = parseV6(text);
  return value === undefined ? undefined : { family: 6, value };
}

/** Reads a network such as 10.1.0.0/24. What stands behind its prefix is of no account. */
export function parseCidr(text: string): Cidr | undefined {
  const [, host = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseAddress(host);
  const bits = Number(length);
  if (address === undefined || bits > WIDTH[address.family]) return undefined;
  return { ...address, bits };
}

/** Whether an address lies in a network. */
export const isInNetwork = (address: Address, cidr: Cidr): boolean =>
  address.family === cidr.family && network(address.value, cidr) === network(cidr.value, cidr);

/** Whether an address of a network is one that a host can have: not the network's own, not its broadcast. */
export function isHostAddress(address: Address, cidr: Cidr): boolean {
  if (!isInNetwork(address, cidr)) return false;
  const hostBits = WIDTH[cidr.family] - cidr.bits;
  if (hostBits < 2) return true;
  const host = address.value & ((1n << BigInt(hostBits)) - 1n);
  return host !== 0n && (cidr.family === 6 || host !== (1n << BigInt(hostBits)) - 1n);
}

/** Whether two texts are the same address, however it is written. */
export function sameAddress(a: string, b: string): boolean {
  const [one, other] = [parseAddress(a), parseAddress(b)];
  return one !== undefined && one.family === other?.family && one.value === other.value;
}

/** The mask of a network, as its family writes addresses: 255.255.255.0. */
export function netmask({ family, bits }: Cidr): string {
  const width = WIDTH[family];
  const value = ((1n << BigInt(bits)) - 1n) << BigInt(width - bits);
  const part = family === 4 ? 8 : 16;
  const parts = Array.from(
    { length: width / part },
    (_, i) => (value >> BigInt(width - part * (i + 1))) & ((1n << BigInt(part)) - 1n),
  );
  return family === 4 ? parts.join('.') : parts.map((each) => each.toString(16)).join(':');
}

const network = (value: bigint, { family, bits }: Cidr): bigint => value >> BigInt(WIDTH[family] - bits);

function parseV4(text: string): bigint | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1);
  // Some read 010 as eight, some as ten, and some refuse it.
  if (parts === undefined || parts.some((part) => Number(part) > 255 || /^0\d/.test(part))) return undefined;
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
  const tail = /:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  const last = tail === undefined ? undefined : parseV4(tail);
  if (tail !== undefined && last === undefined) return undefined;
  const plain =
    last === undefined
      ? text
      : `${text.slice(0, -tail!.length)}${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head, rest] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const given = [...head!, ...(rest ?? [])];
  if (given.some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined;
  if (rest === undefined ? given.length !== 8 : given.length > 7) return undefined;
  const groups = [...head!, ...Array<string>(8 - given.length).fill('0'), ...(rest ?? [])];
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

/** An address without the prefix length or the zone that a guest may tell behind it. */
export const bareAddress = (address: string): string => address.replace(/[/%].*$/, '');

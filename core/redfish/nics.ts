import { asBoolean, asList, asName, asPositive, asText, at, linksOf, textsOf } from './read.ts';

/**
 * What an interface is: a port of the node; one that stands on top of others (a VLAN, a bond) and bears
 * their MAC; or the node's end of its link to the BMC, whose MAC may be the same in every machine of a model.
 */
export type NicRole = 'port' | 'virtual' | 'bmc-link';

/** One reading of one network interface, from one resource. */
export interface NicReading {
  readonly uri: string;
  /** Which list it is from: a MAC that stands twice in one list identifies nothing. */
  readonly list: string;
  readonly mac: string | null;
  readonly name: string | null;
  readonly speedMbps: number | null;
  readonly linkUp: boolean | null;
  /** ETHERNET, INFINIBAND …, in the words of the BMC. */
  readonly kind: string | null;
  readonly role: NicRole;
}

/** One network interface, after the union of all sources. */
export interface MacFinding {
  /** Null: the BMC shows an interface without a usable MAC. */
  readonly mac: string | null;
  readonly repeated: boolean;
  readonly name: string | null;
  readonly speedMbps: number | null;
  readonly linkUp: boolean | null;
  readonly kind: string | null;
  readonly role: NicRole;
  readonly sources: readonly string[];
}

/** A MAC in lower case with colons; null for an empty, zero, broadcast or malformed one. */
export function normaliseMac(value: unknown): string | null {
  const hex = (asText(value) ?? '').toLowerCase().replace(/[^0-9a-f]/g, '');
  if (hex.length !== 12 || /^(0{12}|f{12})$/.test(hex)) return null;
  if (
    !/^[0-9a-f]{2}([:-]?[0-9a-f]{2}){5}$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/.test(asText(value)!.toLowerCase())
  )
    return null;
  return hex.match(/../g)!.join(':');
}

const up = (value: unknown): boolean | null => {
  const text = asText(value)?.toLowerCase();
  return text === undefined
    ? null
    : /^(link)?up$/.test(text)
      ? true
      : /^((link)?down|nolink)$/.test(text)
        ? false
        : null;
};

function roleOf(body: unknown): NicRole {
  if (linksOf(at(body, 'Links', 'HostInterface')).length > 0) return 'bmc-link';
  const overOthers = linksOf(at(body, 'Links', 'RelatedInterfaces')).length > 0;
  return overOthers || /^virtual$/i.test(asText(at(body, 'EthernetInterfaceType')) ?? '')
    ? 'virtual'
    : 'port';
}

/** Reads a member of the system's EthernetInterfaces. */
export function readEthernetInterface(uri: string, body: unknown): NicReading {
  return {
    uri,
    list: 'EthernetInterfaces',
    mac: normaliseMac(at(body, 'PermanentMACAddress')) ?? normaliseMac(at(body, 'MACAddress')),
    name: asName(at(body, 'Id')) ?? asName(at(body, 'Name')),
    speedMbps: asPositive(at(body, 'SpeedMbps')),
    linkUp: up(at(body, 'LinkStatus')),
    kind: asName(at(body, 'EthernetInterfaceType')),
    role: roleOf(body),
  };
}

/** Reads a NetworkDeviceFunction of an adapter. */
export function readDeviceFunction(uri: string, body: unknown, list = 'NetworkDeviceFunctions'): NicReading {
  return {
    uri,
    list,
    mac:
      normaliseMac(at(body, 'Ethernet', 'PermanentMACAddress')) ??
      normaliseMac(at(body, 'Ethernet', 'MACAddress')),
    name: asName(at(body, 'Id')) ?? asName(at(body, 'Name')),
    speedMbps: null,
    linkUp: asBoolean(at(body, 'Ethernet', 'LinkUp')),
    kind: asName(at(body, 'NetDevFuncType')),
    role: 'port',
  };
}

/** Reads a Port or NetworkPort of an adapter; it may carry several MACs. */
export function readNetworkPort(uri: string, body: unknown, list = 'Ports'): NicReading[] {
  const macs = [
    ...textsOf(at(body, 'AssociatedNetworkAddresses')),
    ...textsOf(at(body, 'Ethernet', 'AssociatedMACAddresses')),
  ]
    .slice(0, 64)
    .map(normaliseMac)
    .filter((mac): mac is string => mac !== null);
  const gbps = asPositive(at(body, 'CurrentSpeedGbps'));
  const link = asList(at(body, 'SupportedLinkCapabilities'))[0];
  const base = {
    uri,
    list,
    name: asName(at(body, 'Id')) ?? asName(at(body, 'Name')),
    speedMbps:
      gbps === null
        ? (asPositive(at(body, 'CurrentLinkSpeedMbps')) ?? asPositive(at(link, 'LinkSpeedMbps')))
        : gbps * 1_000,
    linkUp: up(at(body, 'LinkStatus')),
    kind: asName(at(body, 'ActiveLinkTechnology')) ?? asName(at(body, 'LinkNetworkTechnology')),
    role: 'port' as const,
  };
  return (macs.length === 0 ? [null] : [...new Set(macs)]).map((mac) => ({ ...base, mac }));
}

/** The one list in which a MAC may stand often: once for each protocol that the port boots by. */
const BOOT_OPTIONS = 'BootOptions';

/** Reads the port that a boot option boots from, by the MAC in its UEFI device path; none if it is no port. */
export function readBootOptionPort(uri: string, body: unknown): NicReading[] {
  const path = asText(at(body, 'UefiDevicePath'))?.slice(0, 4_096) ?? '';
  const mac = normaliseMac(/\bMAC\(([0-9a-f]{12})/i.exec(path)?.[1]);
  if (mac === null) return [];
  const unknown = { name: null, speedMbps: null, linkUp: null, kind: null };
  return [{ uri, list: BOOT_OPTIONS, mac, ...unknown, role: 'port' }];
}

/**
 * The union of all sources by MAC. What the first source does not say, a later one may. A MAC that stands
 * twice in one list is marked: it identifies neither. What stands on top of a port is no second one. Ports without a MAC are dropped where any MAC is known.
 */
export function mergeNics(readings: readonly NicReading[]): MacFinding[] {
  const byMac = new Map<string, NicReading[]>();
  const rank = { port: 0, virtual: 1, 'bmc-link': 2 } as const;
  const without: NicReading[] = [];
  for (const reading of readings.toSorted((a, b) => rank[a.role] - rank[b.role])) {
    if (reading.mac === null) without.push(reading);
    else {
      const group = byMac.get(reading.mac) ?? [];
      group.push(reading);
      byMac.set(reading.mac, group);
    }
  }
  const first = <T>(group: readonly NicReading[], get: (n: NicReading) => T | null): T | null =>
    group.map(get).find((v) => v !== null) ?? null;
  const merge = (mac: string | null, group: readonly NicReading[]): MacFinding => ({
    mac,
    repeated: mac !== null && standsTwice(group),
    name: first(group, (n) => n.name),
    speedMbps: first(group, (n) => n.speedMbps),
    linkUp: first(group, (n) => n.linkUp),
    kind: first(group, (n) => n.kind),
    role: group[0]!.role,
    sources: [...new Set(group.map((n) => n.uri))],
  });
  const shown = byMac.size === 0 ? without : without.filter((n) => n.list === 'EthernetInterfaces');
  return [...[...byMac].map(([mac, group]) => merge(mac, group)), ...shown.map((n) => merge(null, [n]))];
}

function standsTwice(group: readonly NicReading[]): boolean {
  const lists = group.filter((n) => n.role === 'port' && n.list !== BOOT_OPTIONS).map((n) => n.list);
  return new Set(lists).size < lists.length;
}

/** The MACs that identify a node. */
export const identityMacs = (nics: readonly MacFinding[]): string[] =>
  nics.flatMap((nic) => (nic.mac === null || nic.repeated || nic.role !== 'port' ? [] : [nic.mac])).sort();

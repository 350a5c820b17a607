import { asBoolean, asList, asNumber, asText, at, textsOf } from './read.ts';

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
      : /^(link)?down|nolink$/.test(text)
        ? false
        : null;
};

/** Reads a member of the system's EthernetInterfaces. */
export function readEthernetInterface(uri: string, body: unknown): NicReading {
  return {
    uri,
    list: 'EthernetInterfaces',
    mac: normaliseMac(at(body, 'PermanentMACAddress')) ?? normaliseMac(at(body, 'MACAddress')),
    name: asText(at(body, 'Id')) ?? asText(at(body, 'Name')),
    speedMbps: asNumber(at(body, 'SpeedMbps')),
    linkUp: up(at(body, 'LinkStatus')),
    kind: asText(at(body, 'EthernetInterfaceType')),
  };
}

/** Reads a NetworkDeviceFunction of an adapter. */
export function readDeviceFunction(uri: string, body: unknown): NicReading {
  return {
    uri,
    list: 'NetworkDeviceFunctions',
    mac:
      normaliseMac(at(body, 'Ethernet', 'PermanentMACAddress')) ??
      normaliseMac(at(body, 'Ethernet', 'MACAddress')),
    name: asText(at(body, 'Id')) ?? asText(at(body, 'Name')),
    speedMbps: null,
    linkUp: asBoolean(at(body, 'Ethernet', 'LinkUp')),
    kind: asText(at(body, 'NetDevFuncType')),
  };
}

/** Reads a Port or NetworkPort of an adapter; it may carry several MACs. */
export function readNetworkPort(uri: string, body: unknown): NicReading[] {
  const macs = [
    ...textsOf(at(body, 'AssociatedNetworkAddresses')),
    ...textsOf(at(body, 'Ethernet', 'AssociatedMACAddresses')),
  ]
    .map(normaliseMac)
    .filter((mac): mac is string => mac !== null);
  const gbps = asNumber(at(body, 'CurrentSpeedGbps'));
  const link = asList(at(body, 'SupportedLinkCapabilities'))[0];
  const base = {
    uri,
    list: 'Ports',
    name: asText(at(body, 'Id')) ?? asText(at(body, 'Name')),
    speedMbps:
      gbps === null
        ? (asNumber(at(body, 'CurrentLinkSpeedMbps')) ?? asNumber(at(link, 'LinkSpeedMbps')))
        : gbps * 1_000,
    linkUp: up(at(body, 'LinkStatus')),
    kind: asText(at(body, 'ActiveLinkTechnology')) ?? asText(at(body, 'LinkNetworkTechnology')),
  };
  return (macs.length === 0 ? [null] : [...new Set(macs)]).map((mac) => ({ ...base, mac }));
}

/**
 * The union of all sources by MAC. What the first source does not say, a later one may. A MAC that stands
 * twice in one list is marked: it identifies neither. Ports without a MAC are dropped where any MAC is known.
 */
export function mergeNics(readings: readonly NicReading[]): MacFinding[] {
  const byMac = new Map<string, NicReading[]>();
  const without: NicReading[] = [];
  for (const reading of readings) {
    if (reading.mac === null) without.push(reading);
    else byMac.set(reading.mac, [...(byMac.get(reading.mac) ?? []), reading]);
  }
  const first = <T>(group: readonly NicReading[], get: (n: NicReading) => T | null): T | null =>
    group.map(get).find((v) => v !== null) ?? null;
  const merge = (mac: string | null, group: readonly NicReading[]): MacFinding => ({
    mac,
    repeated: mac !== null && group.some((a, i) => group.findIndex((b) => b.list === a.list) !== i),
    name: first(group, (n) => n.name),
    speedMbps: first(group, (n) => n.speedMbps),
    linkUp: first(group, (n) => n.linkUp),
    kind: first(group, (n) => n.kind),
    sources: [...new Set(group.map((n) => n.uri))],
  });
  const shown = byMac.size === 0 ? without : without.filter((n) => n.list === 'EthernetInterfaces');
  return [...[...byMac].map(([mac, group]) => merge(mac, group)), ...shown.map((n) => merge(null, [n]))];
}

/** The MACs that identify a node. */
export const identityMacs = (nics: readonly MacFinding[]): string[] =>
  nics.flatMap((nic) => (nic.mac === null || nic.repeated ? [] : [nic.mac])).sort();

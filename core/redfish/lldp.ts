import type { Neighbour, SeenPort } from '../cabling.ts';
import { readDeviceFunction, readNetworkPort } from './nics.ts';
import { asList, asText, at, linkOf, sameUri } from './read.ts';

interface Found {
  readonly uri: string;
  readonly body: unknown;
}

/** The word before a value that some BMCs leave there: `MAC: 8c:85:…`, `Ifname: 1/1/5` (NVIDIA BlueField). */
const told = (value: unknown): string | null =>
  asText(asText(value)?.replace(/^(mac|ip|ifname|ifalias|local)\s*:\s+/i, ''))?.slice(0, 255) ?? null;

/** Subtypes of a port id that stand for words, as Redfish and as numbers of IEEE 802.1AB. */
const WORDS = /^(IfAlias|IfName|LocalAssign|1|5|7)$/i;
const OCTETS = /^[0-9a-f]{2}(:[0-9a-f]{2})+$/i;

/**
 * A port id. The schema wants words, too, as octets: `73:77:70:31`; some BMCs show the words: `swp1`. What would
 * not be printable was no octets of words.
 */
function portId(received: unknown): string | null {
  const shown = told(at(received, 'PortId'));
  const subtype = asText(at(received, 'PortIdSubtype'));
  if (shown === null || subtype === null || !WORDS.test(subtype) || !OCTETS.test(shown)) return shown;
  const words = String.fromCharCode(...shown.split(':').map((octet) => Number.parseInt(octet, 16)));
  return /^[\x20-\x7e]+$/.test(words) ? asText(words) : shown;
}

/** What a Port tells of the switch at its other end; null if nothing. */
export function readLldpReceive(body: unknown): Neighbour | null {
  const received = at(body, 'Ethernet', 'LLDPReceive');
  const neighbour = {
    chassisId: told(at(received, 'ChassisId')),
    systemName: told(at(received, 'SystemName')),
    portId: portId(received),
    portDescription: null,
  };
  return Object.values(neighbour).every((value) => value === null) ? null : neighbour;
}

/** Ports that a function is on, by the names that this link has had. */
const assigned = (body: unknown): string[] =>
  [
    at(body, 'Links', 'PhysicalNetworkPortAssignment'),
    at(body, 'Links', 'PhysicalPortAssignment'),
    at(body, 'PhysicalNetworkPortAssignment'),
    at(body, 'PhysicalPortAssignment'),
    ...asList(at(body, 'AssignablePhysicalNetworkPorts')),
    ...asList(at(body, 'AssignablePhysicalPorts')),
  ]
    .map(linkOf)
    .filter((link) => link !== null);

/** The ports of one adapter by MAC; a port that tells none has those of the functions on it. */
export function seenPorts(ports: readonly Found[], functions: readonly Found[]): SeenPort[] {
  return ports.flatMap(({ uri, body }) => {
    const readings = readNetworkPort(uri, body);
    const own = readings.map(({ mac }) => mac).filter((mac) => mac !== null);
    const theirs = functions
      .filter((each) => assigned(each.body).some((link) => sameUri(link, uri)))
      .map((each) => readDeviceFunction(each.uri, each.body).mac);
    const neighbour = readLldpReceive(body);
    const linkUp = readings[0]?.linkUp ?? null;
    return (own.length > 0 ? own : theirs).map((mac) => ({ mac, linkUp, neighbour }));
  });
}

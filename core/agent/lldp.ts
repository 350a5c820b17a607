import type { Neighbour } from '../cabling.ts';

/**
 * Reads LLDP as ironic-python-agent tells it: a list of `[type, hexadecimal value]`, in the order of the
 * frame. Total and bounded: what cannot be read counts as not told. Null if nothing of it was told.
 */
export function readLldp(tlvs: unknown): Neighbour | null {
  const values = new Map<number, Uint8Array>();
  for (const tlv of Array.isArray(tlvs) ? (tlvs as unknown[]).slice(0, MAX_TLVS) : []) {
    if (!Array.isArray(tlv)) continue;
    const [type, hex] = tlv as unknown[];
    if (type === TYPES.end) break;
    const value = bytesOf(hex);
    // Each of these stands once in a frame; in a frame that repeats one, the first counts.
    if (typeof type === 'number' && value !== undefined && !values.has(type)) values.set(type, value);
  }
  const neighbour = {
    chassisId: identifier(values.get(TYPES.chassisId), CHASSIS),
    portId: identifier(values.get(TYPES.portId), PORT),
    portDescription: textIn(values.get(TYPES.portDescription)),
    systemName: textIn(values.get(TYPES.systemName)),
  };
  return Object.values(neighbour).every((value) => value === null) ? null : neighbour;
}

/** IEEE 802.1AB, table 8-1. */
const TYPES = { end: 0, chassisId: 1, portId: 2, portDescription: 4, systemName: 5 } as const;
/** Which subtypes of the two identifiers are a MAC address, and a network address. The others are text. */
const CHASSIS = { mac: 4, network: 5 };
const PORT = { mac: 3, network: 4 };

const MAX_TLVS = 256;
const MAX_VALUE_BYTES = 511;

function bytesOf(hex: unknown): Uint8Array | undefined {
  if (typeof hex !== 'string' || hex.length > 2 * MAX_VALUE_BYTES || !/^([\da-f]{2})*$/i.test(hex)) {
    return undefined;
  }
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function identifier(value: Uint8Array | undefined, kinds: typeof CHASSIS): string | null {
  if (value === undefined || value.length < 2) return null;
  const [subtype, id] = [value[0], value.subarray(1)];
  if (subtype === kinds.mac && id.length === 6) return pairs(id);
  if (subtype === kinds.network) return address(id) ?? pairs(id);
  // Some put the bytes of a MAC where a text belongs.
  return textIn(id) ?? (id.length === 6 ? pairs(id) : null);
}

/** A network address: a byte for its family, and its own. */
function address(id: Uint8Array): string | null {
  const own = id.subarray(1);
  if (id[0] === 1 && own.length === 4) return own.join('.');
  if (id[0] !== 2 || own.length !== 16) return null;
  return (pairs(own).replaceAll(':', '').match(/.{4}/g) ?? []).join(':');
}

const pairs = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');

/** A text of at most 255 bytes; null for an empty one, or one with anything that cannot be shown. */
function textIn(value: Uint8Array | undefined): string | null {
  const text = new TextDecoder().decode(value?.subarray(0, 255)).replace(/\0+$/, '').trim();
  return text === '' || /[\p{C}\uFFFD]/u.test(text) ? null : text;
}

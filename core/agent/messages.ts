import { macOf, objectOf } from './read.ts';

/** The version of Ironic's API that the gateway speaks to agents: tokens, TLS, all of today's fields. */
export const API_VERSION = '1.95';

/** What an agent asks for at its root before anything else. */
export const versionDocument = (): object => {
  const version = { id: 'v1', version: API_VERSION, min_version: '1.1', status: 'CURRENT' };
  return { name: 'OpenStack Ironic API', default_version: version, versions: [version] };
};

type Read<T> = { readonly value: T } | { readonly problem: string };

/** A lookup: the MAC addresses of the machine, and the node's UUID if the agent knows it already. */
export interface LookupQuery {
  readonly macs: readonly string[];
  readonly uuid: string | null;
}

/** Reads the query of a lookup. An agent whose ports are not up yet names no address. */
export function readLookup(query: unknown): Read<LookupQuery> {
  const { addresses, node_uuid: uuid } = objectOf(query);
  const listed = typeof addresses === 'string' ? addresses.split(',').slice(0, 256) : [];
  const macs = [...new Set(listed.map(macOf).filter((mac): mac is string => mac !== null))].sort();
  if (uuid !== undefined && typeof uuid !== 'string') return { problem: '`node_uuid` is not one UUID' };
  return { value: { macs, uuid: uuid ?? null } };
}

/** A heartbeat as it came; nothing of it is checked against anything yet. */
export interface HeartbeatBody {
  readonly callbackUrl: string;
  readonly agentToken: string;
  readonly certificate: string;
  readonly version: string;
}

/** Reads the body of a heartbeat. Token and certificate are required: agents without them are too old. */
export function readHeartbeat(body: unknown): Read<HeartbeatBody> {
  const fields = objectOf(body);
  const text = (name: string, most: number): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' && value.length > 0 && value.length <= most ? value : undefined;
  };
  const callbackUrl = text('callback_url', 512);
  const agentToken = text('agent_token', 512);
  const certificate = text('agent_verify_ca', 16_384);
  if (callbackUrl === undefined) return { problem: '`callback_url` is missing or too long' };
  if (agentToken === undefined) return { problem: '`agent_token` is missing or too long' };
  if (certificate === undefined) return { problem: '`agent_verify_ca` is missing or too long' };
  return { value: { callbackUrl, agentToken, certificate, version: text('agent_version', 64) ?? 'unknown' } };
}

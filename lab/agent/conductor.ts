import { request } from 'undici';
import type { Pause } from '../timing.ts';

/** What the agent learns from its lookup. */
export interface Lookup {
  readonly node: { readonly uuid: string; readonly [key: string]: unknown };
  readonly config: { readonly heartbeat_timeout: number; readonly agent_token?: string };
}

export interface Conductor {
  readonly apiUrl: string;
  readonly pause: Pause;
  readonly signal: AbortSignal;
  readonly log: (event: string, details?: Record<string, unknown>) => void;
}

export const AGENT_VERSION = '13.0.0';
/** What the agent assumes for as long as nobody tells the version. */
export const FALLBACK_MINOR = 31;
const LOOKUP_TIMEOUT_MS = 600_000;

async function call(
  conductor: Conductor,
  method: 'GET' | 'POST',
  path: string,
  minor: number,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const answer = await request(`${conductor.apiUrl.replace(/\/$/, '')}${path}`, {
    method,
    signal: AbortSignal.any([conductor.signal, AbortSignal.timeout(30_000)]),
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-openstack-ironic-api-version': `1.${minor}`,
      connection: 'close',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  try {
    return { status: answer.statusCode, body: JSON.parse(text) };
  } catch {
    return { status: answer.statusCode, body: undefined };
  }
}

/** The minor version of the API that the conductor speaks; undefined when its root cannot be read. */
export async function apiMinor(conductor: Conductor): Promise<number | undefined> {
  try {
    const { body } = await call(conductor, 'GET', '/', FALLBACK_MINOR);
    const version = (body as { default_version?: { version?: string } }).default_version?.version ?? '';
    return minorOf(version);
  } catch {
    conductor.signal.throwIfAborted();
    return undefined;
  }
}

/** The minor of `1.N`; undefined for anything else. */
export function minorOf(version: string): number | undefined {
  const minor = /^1\.(\d+)$/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** Asks once who this node is; undefined when the answer is no use. */
export async function lookupOnce(
  conductor: Conductor,
  minor: number,
  macs: readonly string[],
  uuid: string | null,
): Promise<{ status: number | null; found?: Lookup }> {
  const query = new URLSearchParams({ addresses: macs.join(',') });
  if (uuid !== null) query.set('node_uuid', uuid);
  try {
    const { status, body } = await call(conductor, 'GET', `/v1/lookup?${query}`, Math.min(minor, 62));
    const found = body as Lookup | undefined;
    const usable =
      status === 200 && typeof found?.node?.uuid === 'string' && Number(found.config?.heartbeat_timeout) > 0;
    return usable ? { status, found } : { status };
  } catch {
    conductor.signal.throwIfAborted();
    return { status: null };
  }
}

/** Looks the node up, with growing waits, for ten minutes; undefined when nobody knew it. */
export async function lookup(
  conductor: Conductor,
  minor: number,
  macs: () => readonly string[],
): Promise<Lookup | undefined> {
  let wait = 1000;
  for (let waited = 0; waited < LOOKUP_TIMEOUT_MS; waited += wait) {
    const { status, found } = await lookupOnce(conductor, minor, macs(), null);
    if (found !== undefined) return found;
    wait = Math.min(60_000, 1000 + wait * (1 + Math.random())) + (status === 409 ? 5000 : 0);
    conductor.log('agent-lookup-failed', { status, againInMs: Math.round(wait) });
    await conductor.pause(wait, conductor.signal);
  }
  return undefined;
}

/** Sends one heartbeat; true when the conductor took it. */
export async function heartbeat(
  conductor: Conductor,
  minor: number,
  uuid: string,
  body: { callback_url: string; agent_token: string; agent_verify_ca: string },
): Promise<{ accepted: boolean; status: number | null }> {
  const { callback_url, agent_token, agent_verify_ca } = body;
  try {
    const { status } = await call(conductor, 'POST', `/v1/heartbeat/${uuid}`, Math.min(minor, 68), {
      callback_url,
      ...(minor >= 62 ? { agent_token } : {}),
      ...(minor >= 36 ? { agent_version: AGENT_VERSION } : {}),
      ...(minor >= 68 ? { agent_verify_ca } : {}),
    });
    return { accepted: status === 202, status };
  } catch {
    conductor.signal.throwIfAborted();
    return { accepted: false, status: null };
  }
}

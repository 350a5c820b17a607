import { createHash } from 'node:crypto';
import { fail } from '../../core/errors/failure.ts';

/**
 * How the certificate of a BMC is judged: against the system's CAs, against the given CAs, by the
 * fingerprint of the very certificate (`sha256:` and hex, colons allowed), or not at all.
 */
export type TlsPolicy = 'verify' | 'insecure' | { readonly ca: string } | { readonly fingerprint: string };

export interface BmcTimeouts {
  /** Until a connection stands. @default 5000 */
  readonly connectMs: number;
  /** Until the headers of the answer are there. @default 15000 */
  readonly headersMs: number;
  /** Between two pieces of the body. @default 10000 */
  readonly bodyMs: number;
  /** One request with its retries, from first byte to last. A drip-fed answer ends here. @default 20000 */
  readonly requestMs: number;
  /** How long an unused session is kept before it is deleted. @default 60000 */
  readonly sessionIdleMs: number;
  /** Pauses before an idempotent request is tried again; their number is the number of retries. @default [250, 1000] */
  readonly retryPausesMs: readonly number[];
}

export const DEFAULT_TIMEOUTS: BmcTimeouts = {
  connectMs: 5_000,
  headersMs: 15_000,
  bodyMs: 10_000,
  requestMs: 20_000,
  sessionIdleMs: 60_000,
  retryPausesMs: [250, 1_000],
};

/** One BMC as the contract describes it, with its secrets resolved. Never put into a payload. */
export interface BmcEndpoint {
  /** The origin: scheme, host and port. */
  readonly address: string;
  readonly credentials: { readonly username: string; readonly password: string };
  readonly tls: TlsPolicy;
  /** `session` falls back to Basic only where the service root offers no session service. @default 'session' */
  readonly auth?: 'session' | 'basic';
  readonly timeouts?: Partial<BmcTimeouts>;
}

/** The origin of an endpoint, checked together with its certificate policy. */
export function endpointOrigin(endpoint: Pick<BmcEndpoint, 'address' | 'tls'>): string {
  const origin = bmcOrigin(endpoint.address);
  if (origin.startsWith('http:') && typeof endpoint.tls === 'object') {
    throw fail(
      'BMC_ADDRESS_INVALID',
      `The BMC address ${origin} is plain http, and \`bmc.tls\` asks for a certificate: write https.`,
    );
  }
  return origin;
}

/** The origin of an address; an error that says what is wrong if it is none. */
export function bmcOrigin(address: string): string {
  const bad = (why: string): never => {
    throw fail(
      'BMC_ADDRESS_INVALID',
      `The BMC address ${JSON.stringify(address.replace(/\/\/[^/]*@/, '//…@'))} ${why}.`,
    );
  };
  if (!/^https?:\/\//i.test(address)) return bad('does not begin with https:// or http://');
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return bad('is not a URL');
  }
  if (url.username !== '' || url.password !== '')
    return bad('carries credentials; they belong into `bmc.credentials`');
  if (!/^\/*(redfish\/?(v1\/?)?)?$/.test(url.pathname)) {
    return bad(`has the path ${url.pathname}; the path of a system belongs into \`bmc.system\``);
  }
  if (url.search !== '' || url.hash !== '') return bad('has a query or a fragment');
  return url.origin;
}

/** A short fingerprint of a secret, for keys in memory. */
export const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** Tells endpoints apart that must not share a connection or a session. */
export const endpointKey = (origin: string, endpoint: BmcEndpoint): string =>
  digest(
    origin,
    endpoint.credentials.username,
    endpoint.credentials.password,
    JSON.stringify(endpoint.tls),
    endpoint.auth ?? 'session',
    JSON.stringify(endpoint.timeouts ?? {}),
  );

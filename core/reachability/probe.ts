import { shownEndpoint } from '../agent/reach.ts';

/** What a connection is opened to: a TCP port, or a URL that is asked for with GET. */
export type Probe =
  | { readonly host: string; readonly port: number }
  | {
      readonly url: string;
      /** Its certificate is not looked at: another check does, or there is no policy of it. */
      readonly insecure?: boolean;
    };

/**
 * How it went: `open` a port took the connection, `answered` an HTTP server said something, `refused`, `silent` (nothing
 * came back in time), `untrusted` (its certificate), `no TLS` (something else is spoken there), `ENOTFOUND` (its name has
 * no address, as whoever was asked for it says; EAI_AGAIN: nobody says), or the name of another error.
 */
export interface Probed {
  readonly probe: Probe;
  readonly outcome: string;
  /** Of an HTTP answer. */
  readonly status?: number;
}

/** A command that a place is asked by, and what it reads: its words are seen by others there, and may not be many. */
export interface ProbeCommand {
  readonly words: readonly string[];
  readonly input: string;
}

/** What a place said of its probes; or why it cannot tell, and what of its programs it lacks. */
export type Probing = { readonly probed: readonly Probed[] } | { readonly unusable: string };

export const shownProbe = (probe: Probe): string =>
  'url' in probe ? originOf(probe.url) : shownEndpoint({ address: probe.host, port: probe.port });

/** Paths are left out: some carry what opens a door. */
function originOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname.slice(0, 60)}`;
}

/** Where the connection of a probe goes. */
export function endpointOf(probe: Probe): { readonly address: string; readonly port: number } {
  if (!('url' in probe)) return { address: probe.host, port: probe.port };
  const { hostname, port, protocol } = new URL(probe.url);
  return {
    address: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'http:' ? 80 : 443),
  };
}

import type { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { TlsPolicy } from './endpoint.ts';

/** The pinned certificate is not the one that was shown. */
export class FingerprintMismatch extends Error {
  readonly shown: string;
  constructor(shown: string) {
    super('certificate fingerprint mismatch');
    this.name = 'FingerprintMismatch';
    this.shown = shown;
  }
}

const hex = (fingerprint: string): string =>
  fingerprint
    .replace(/^sha-?256:/i, '')
    .replaceAll(':', '')
    .toLowerCase();

/**
 * Makes the connections to one BMC. A pinned certificate is compared when the handshake is done and
 * before the connection is handed over, so no byte of a request, and no credential, is sent to another.
 */
export function connectorFor(tls: TlsPolicy, connectMs: number): buildConnector.connector {
  const common = { timeout: connectMs, maxCachedSessions: 0, allowH2: false };
  if (tls === 'verify') return buildConnector(common);
  if (tls === 'insecure') return buildConnector({ ...common, rejectUnauthorized: false });
  if ('ca' in tls) return buildConnector({ ...common, ca: tls.ca });
  const pinned = hex(tls.fingerprint);
  const connect = buildConnector({ ...common, rejectUnauthorized: false });
  return (options, callback) =>
    connect(options, (...args) => {
      const [error, socket] = args;
      if (error !== null || options.protocol !== 'https:') return callback(...(args as [Error, null]));
      const shown = hex((socket as TLSSocket).getPeerCertificate().fingerprint256 ?? '');
      if (shown === pinned) return callback(null, socket);
      socket.destroy();
      return callback(new FingerprintMismatch(shown), null);
    });
}

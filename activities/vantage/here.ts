import { connect } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Agent, request } from 'undici';
import type { Probe, Probed } from '../../core/reachability/probe.ts';

const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA)/;
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)$/;
const OUTCOMES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  UND_ERR_HEADERS_TIMEOUT: 'silent',
  UND_ERR_SOCKET: 'ECONNRESET',
  EPROTO: 'TLS failed',
};

/** Tries connections from the process itself, at once. */
export function probeFromHere(
  probes: readonly Probe[],
  seconds: number,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<readonly Probed[]> {
  return Promise.all(
    probes.map(async (probe): Promise<Probed> => {
      try {
        return 'url' in probe
          ? await asked(probe, seconds, ca, signal)
          : await opened(probe, seconds * 1000, signal);
      } catch (error) {
        signal.throwIfAborted();
        return { probe, outcome: outcomeOf(error) };
      }
    }),
  );
}

/** Where a name has several addresses, the error of the whole has those of the single ones. */
function outcomeOf(error: unknown): string {
  const { code, name, cause, errors } = error as {
    code?: unknown;
    name?: unknown;
    cause?: unknown;
    errors?: readonly unknown[];
  };
  if (name === 'TimeoutError' || name === 'AbortError') return 'silent';
  if (typeof code === 'string' && code !== '') {
    if (UNTRUSTED.test(code)) return 'untrusted';
    if (NO_TLS.test(code)) return 'no TLS';
    if (code.startsWith('ERR_SSL')) return 'TLS failed';
    if (code.startsWith('HPE_')) return 'no HTTP';
    return OUTCOMES[code] ?? code;
  }
  const inner = cause ?? errors?.[0];
  return inner === undefined ? 'failed' : outcomeOf(inner);
}

async function asked(
  probe: Extract<Probe, { url: string }>,
  seconds: number,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<Probed> {
  const agent = new Agent({
    connect: {
      timeout: seconds * 1000,
      rejectUnauthorized: probe.insecure !== true,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    },
  });
  try {
    const answer = await request(probe.url, {
      dispatcher: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(seconds * 2000)]),
    });
    return { probe, outcome: 'answered', status: answer.statusCode };
  } finally {
    await agent.destroy();
  }
}

/** Closed as soon as it is there: nothing is sent. */
function opened(probe: Extract<Probe, { host: string }>, ms: number, signal: AbortSignal): Promise<Probed> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: probe.host, port: probe.port });
    const end = (then: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      then();
    };
    const stop = (): void => end(() => reject(signal.reason as Error));
    const timer = setTimeout(() => end(() => resolve({ probe, outcome: 'silent' })), ms);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => end(() => resolve({ probe, outcome: 'open' })));
    socket.once('error', (error) => end(() => reject(error)));
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { fail } from '../../core/errors/failure.ts';
import { connectorFor } from './connector.ts';
import {
  DEFAULT_TIMEOUTS,
  endpointKey,
  endpointOrigin,
  type BmcEndpoint,
  type BmcTimeouts,
} from './endpoint.ts';
import { refusal, withoutSecrets, type RedfishResponse } from './errors.ts';
import type { Method } from './http.ts';
import { memoryOf, type BmcMemory } from './memory.ts';
import { sameOrigin, sendPersistently } from './persistence.ts';
import { Authenticator } from './session.ts';

export interface SendOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** An ETag, as the BMC gave it. */
  readonly ifMatch?: string;
  /** Another bound for this request, for one that is known to take long. */
  readonly requestMs?: number;
  /** The URL that `target` is relative to; the origin by default. */
  readonly base?: string;
  /** `manual` hands a redirect to the caller. @default 'follow' */
  readonly redirect?: 'follow' | 'manual';
}

/** One BMC, for one piece of work. Requests end when the signal it was opened with is aborted. */
export interface Bmc {
  readonly origin: string;
  readonly memory: BmcMemory;
  readonly signal: AbortSignal | undefined;
  /** Sends a request; any status is an answer. */
  send(method: Method, target: string, options?: SendOptions): Promise<RedfishResponse>;
  /** Reads a resource; throws unless it is there and JSON. */
  get(target: string, options?: SendOptions): Promise<RedfishResponse>;
  /** Waits; ends early, with its reason, when the signal is aborted. */
  pause(ms: number): Promise<void>;
  /** Gives it back. The session is kept for the next user for a while, then deleted. */
  close(): void;
}

interface Shared {
  readonly key: string;
  readonly origin: string;
  readonly pool: Pool;
  readonly limits: BmcTimeouts;
  readonly auth: Authenticator;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

const shared = new Map<string, Shared>();
const MAX_REDIRECTS = 3;

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** With connections and a session of its own, ended with it: shows that the BMC takes certificate and credentials now. */
  readonly anew?: boolean;
}

let opened = 0;

/** Opens a BMC. Nothing is sent yet; endpoints with the same address and credentials share a session. */
export function openBmc(endpoint: BmcEndpoint, options: OpenOptions = {}): Bmc {
  const origin = endpointOrigin(endpoint);
  const own = options.anew ? ` ${(opened += 1)}` : '';
  const key = `${endpointKey(origin, endpoint)}${own}`;
  const state = shared.get(key) ?? create(key, origin, endpoint);
  state.users += 1;
  clearTimeout(state.idle);
  let open = true;
  const { signal } = options;
  return {
    origin,
    memory: memoryOf(origin),
    signal,
    send: (method, target, sendOptions = {}) => send(state, signal, method, target, sendOptions),
    async get(target, sendOptions = {}) {
      const answer = await send(state, signal, 'GET', target, sendOptions);
      if (answer.status < 200 || answer.status >= 300) throw refusal(answer, `Reading ${target}`);
      if (typeof answer.body === 'object' && answer.body !== null && !Array.isArray(answer.body))
        return answer;
      throw fail('BMC_ANSWER_INVALID', `GET ${answer.url}: the answer is no JSON object.`, {
        details: { url: answer.url, status: answer.status },
      });
    },
    async pause(ms) {
      try {
        await sleep(ms, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : error;
      }
    },
    close() {
      if (!open) return;
      open = false;
      state.users -= 1;
      if (state.users > 0) return;
      if (options.anew) return void shutDown(state);
      state.idle = setTimeout(() => void shutDown(state), state.limits.sessionIdleMs);
      state.idle.unref();
    },
  };
}

/** Opens a BMC, does the work, and gives it back on every way out. */
export async function withBmc<T>(
  endpoint: BmcEndpoint,
  work: (bmc: Bmc) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const bmc = openBmc(endpoint, options);
  try {
    return await work(bmc);
  } finally {
    bmc.close();
  }
}

/** Deletes every session and closes every connection: for the end of a process. */
export async function closeAllBmcs(): Promise<void> {
  await Promise.all([...shared.values()].map(shutDown));
}

function create(key: string, origin: string, endpoint: BmcEndpoint): Shared {
  const limits = { ...DEFAULT_TIMEOUTS, ...endpoint.timeouts };
  const pool = new Pool(origin, {
    connections: 4,
    pipelining: 1,
    connect: connectorFor(endpoint.tls, limits.connectMs),
    connectTimeout: limits.connectMs,
  });
  const auth = new Authenticator(origin, endpoint, (method, target, options = {}) =>
    sendPersistently(pool, limits, undefined, method, sameOrigin(origin, target, origin), {
      headers: options.headers ?? {},
      body: options.body,
    }),
  );
  const state: Shared = { key, origin, pool, limits, auth, users: 0, idle: undefined };
  shared.set(key, state);
  return state;
}

async function shutDown(state: Shared): Promise<void> {
  clearTimeout(state.idle);
  if (shared.get(state.key) === state) shared.delete(state.key);
  await state.auth.logout();
  await state.pool.destroy();
}

async function send(
  state: Shared,
  signal: AbortSignal | undefined,
  method: Method,
  target: string,
  options: SendOptions,
): Promise<RedfishResponse> {
  let url = sameOrigin(state.origin, target, options.base ?? state.origin);
  for (let hop = 0; ; hop += 1) {
    const answer = await sendProven(state, signal, method, url, options);
    const { location } = answer.headers;
    const moved = method === 'GET' || method === 'HEAD' ? [301, 302, 303, 307, 308] : [307, 308];
    if (!moved.includes(answer.status) || location === undefined || options.redirect === 'manual')
      return answer;
    if (hop === MAX_REDIRECTS) {
      throw fail('BMC_ANSWER_INVALID', `${method} ${answer.url}: more than ${MAX_REDIRECTS} redirects.`);
    }
    url = sameOrigin(state.origin, location, answer.url);
  }
}

async function sendProven(
  state: Shared,
  signal: AbortSignal | undefined,
  method: Method,
  url: URL,
  options: SendOptions,
): Promise<RedfishResponse> {
  const limits = { ...state.limits };
  if (options.requestMs !== undefined) {
    Object.assign(limits, {
      requestMs: options.requestMs,
      headersMs: options.requestMs,
      bodyMs: options.requestMs,
    });
  }
  const once = async (headers: { readonly [name: string]: string }): Promise<RedfishResponse> =>
    // A BMC may quote the headers that it was sent.
    withoutSecrets(
      await sendPersistently(state.pool, limits, signal, method, url, {
        headers: options.ifMatch === undefined ? headers : { ...headers, 'if-match': options.ifMatch },
        body: options.body,
      }),
      Object.values(headers).map((proof) => proof.replace(/^Basic /, '')),
    );
  const proof = await unlessAborted(state.auth.prove(), signal);
  const answer = await once(proof.headers);
  if (answer.status !== 401) return answer;
  // A 401 was not carried out, so even a POST may be sent again, once, with a new proof.
  const again = await once((await unlessAborted(state.auth.renew(proof), signal)).headers);
  if (again.status === 401) throw refusal(again, `${method} ${url.pathname}, right after a new login`);
  return again;
}

/** A login is shared, so it goes on when one of those who wait for it gives up. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  return new Promise<T>((resolve, reject) => {
    const cancel = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', cancel, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  });
}

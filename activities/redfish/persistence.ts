import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { BmcTimeouts } from './endpoint.ts';
import type { RedfishResponse } from './errors.ts';
import { exchange, type Method } from './http.ts';

/** A longer Retry-After is handed to the caller, who waits without holding a slot. */
const MAX_INLINE_WAIT_MS = 5_000;
const IDEMPOTENT: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'DELETE']);

/** Retries what is harmless to repeat, and anything that was never sent, after the given pauses. */
export async function sendPersistently(
  pool: Pool,
  limits: BmcTimeouts,
  signal: AbortSignal | undefined,
  method: Method,
  url: URL,
  what: { readonly headers: { readonly [name: string]: string }; readonly body: unknown },
): Promise<RedfishResponse> {
  const body = what.body === undefined ? undefined : JSON.stringify(what.body);
  const ends = Date.now() + limits.requestMs;
  for (let attempt = 0; ; attempt += 1) {
    const pause = limits.retryPausesMs[attempt];
    const left = { ...limits, requestMs: Math.max(1, ends - Date.now()) };
    let wait = pause ?? 0;
    let mayRepeat = pause !== undefined;
    try {
      const answer = await exchange(pool, { method, url, headers: what.headers, body, limits: left, signal });
      const busy = answer.status === 502 || answer.status === 503 || answer.status === 504;
      wait = Math.max(wait, answer.headers.retryAfterMs ?? 0);
      mayRepeat &&= wait <= MAX_INLINE_WAIT_MS && Date.now() + wait < ends;
      if (!busy || !mayRepeat || !IDEMPOTENT.has(method)) return answer;
    } catch (error) {
      const code = error instanceof RackwrightError ? error.failure.code : undefined;
      const harmless =
        code === 'BMC_UNREACHABLE' || (code === 'BMC_CONNECTION_LOST' && IDEMPOTENT.has(method));
      if (!harmless || !mayRepeat || Date.now() + wait >= ends) throw error;
    }
    await sleep(wait, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.aborted === true ? signal.reason : error;
    });
  }
}

/** Resolves a URL that a BMC gave; one of another origin is refused, so nothing we hold is sent there. */
export function sameOrigin(origin: string, target: string, base: string): URL {
  let url: URL;
  try {
    url = new URL(target, base);
  } catch {
    throw fail('BMC_ANSWER_INVALID', `The BMC gave ${JSON.stringify(target.slice(0, 200))} as a URL.`);
  }
  if (url.origin === origin) return url;
  throw fail('BMC_FOREIGN_ORIGIN', `The BMC at ${origin} points to ${url.origin}. Nothing was sent there.`, {
    details: { origin, target: url.origin },
  });
}

import { gunzipSync, inflateSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { fail } from '../../core/errors/failure.ts';
import { readBounded } from '../http-answers.ts';
import type { BmcTimeouts } from './endpoint.ts';
import { transportFailure, type AskedOf, type RedfishResponse } from './errors.ts';
import { firstWords } from '../../core/whole-words.ts';

/** No answer of a BMC that we need is larger. */
export const MAX_BODY = 8 * 1024 * 1024;
const MAX_DEPTH = 200;

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Exchange {
  readonly method: Method;
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | undefined;
  readonly limits: BmcTimeouts;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends one request, once, and reads the whole answer within its bounds of time and size. Any status is
 * an answer; only what is no answer throws. When the caller's signal is aborted, its reason is thrown.
 */
export async function exchange(dispatcher: Dispatcher, what: Exchange): Promise<RedfishResponse> {
  const { method, url, limits, signal } = what;
  const asked = { method, url: url.href };
  signal?.throwIfAborted();
  const controller = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, limits.requestMs);
  const cancel = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const response = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'odata-version': '4.0',
        'user-agent': 'rackwright',
        ...(what.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...what.headers,
      },
      body: what.body ?? null,
      headersTimeout: Math.min(limits.headersMs, limits.requestMs),
      bodyTimeout: Math.min(limits.bodyMs, limits.requestMs),
      signal: controller.signal,
    });
    const tooLong = (): Error => invalid(asked, `is larger than ${MAX_BODY} bytes`);
    const raw = await readBounded(response.body, MAX_BODY, tooLong);
    const { headers, statusCode: status } = response;
    const parsed = parse(unpack(raw, one(headers['content-encoding']), asked), asked);
    return { ...asked, status, headers: pick(headers), ...parsed };
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw transportFailure(error, asked, timedOut);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

const invalid = (asked: AskedOf, why: string): Error =>
  fail('BMC_ANSWER_INVALID', `${asked.method} ${asked.url}: the answer ${why}.`, { details: { ...asked } });

function unpack(raw: Buffer, encoding: string | undefined, asked: AskedOf): Buffer {
  try {
    // Some attribute registries are packed, and say so by their first bytes only.
    const packed = raw[0] === 0x1f && raw[1] === 0x8b;
    if (packed || encoding === 'gzip' || encoding === 'x-gzip')
      return gunzipSync(raw, { maxOutputLength: MAX_BODY });
    if (encoding === 'deflate') return inflateSync(raw, { maxOutputLength: MAX_BODY });
    return raw;
  } catch {
    throw invalid(asked, 'cannot be unpacked, or becomes too large');
  }
}

function parse(raw: Buffer, asked: AskedOf): { body: unknown; text: string } {
  const text = new TextDecoder('utf-8').decode(raw);
  if (text.trim() === '') return { body: undefined, text: '' };
  if (tooDeep(text)) throw invalid(asked, `is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return { body: JSON.parse(text) as unknown, text: '' };
  } catch {
    return { body: undefined, text: firstWords(text, 2_000) };
  }
}

/** Whether brackets outside of strings nest too deep; a parser, or whoever walks its result, may overflow. */
function tooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === 92) i += 1;
      else if (c === 34) quoted = false;
    } else if (c === 34) quoted = true;
    else if (c === 123 || c === 91) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (c === 125 || c === 93) depth -= 1;
  }
  return false;
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

function pick(headers: { [name: string]: string | string[] | undefined }): RedfishResponse['headers'] {
  const location = one(headers['location']);
  const etag = one(headers['etag']);
  const allow = one(headers['allow']);
  const token = one(headers['x-auth-token']);
  const retryAfterMs = readRetryAfter(one(headers['retry-after']), Date.now());
  return {
    ...(location === undefined ? {} : { location }),
    ...(etag === undefined ? {} : { etag }),
    ...(allow === undefined ? {} : { allow }),
    ...(token === undefined ? {} : { token }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Retry-After in seconds or as a date, between 0 and ten minutes. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 600_000) : undefined;
}

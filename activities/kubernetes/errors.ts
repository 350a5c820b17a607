import { ApiException } from '@kubernetes/client-node';
import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import { TLS_CODES } from '../http-answers.ts';
import { firstWords } from '../../core/whole-words.ts';

const MAX_SAID = 400;
const AGAIN_MS = 2000;

/** The code of an answer that is not a success. */
export function codeOf(status: number): ErrorCode {
  if (status === 401) return 'KUBERNETES_UNAUTHORIZED';
  if (status === 403) return 'KUBERNETES_FORBIDDEN';
  if (status === 429 || status >= 500) return 'KUBERNETES_UNAVAILABLE';
  return 'KUBERNETES_REFUSED';
}

/** The failure that an answer stands for; `said` are the API's own words. */
export function refusal(asked: string, status: number, said: string): RackwrightError {
  const code = codeOf(status);
  const words = firstWords(said.replaceAll(/\s+/g, ' ').trim(), MAX_SAID);
  return fail(
    code,
    `The Kubernetes API answers ${asked} with ${status}${words === '' ? '' : `: ${words}`}`,
    { details: { asked, status } },
    code === 'KUBERNETES_UNAVAILABLE' ? { retryAfterMs: AGAIN_MS } : {},
  );
}

/** The failure of a request that got no answer. The cause is named, never what was sent. */
export function unanswered(asked: string, server: string, cause: unknown): RackwrightError {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
  const timedOut = name === 'TimeoutError' || name === 'AbortError' || code === 'ETIMEDOUT';
  const why = timedOut ? 'no answer in time' : typeof code === 'string' ? code : String(name ?? 'unknown');
  const details = { asked, server, reason: why };
  if (TLS_CODES.test(why)) {
    return fail(
      'KUBERNETES_TLS_UNTRUSTED',
      `The certificate of the Kubernetes API at ${server} is not trusted: ${why}.`,
      { details },
    );
  }
  return fail(
    'KUBERNETES_UNREACHABLE',
    `The Kubernetes API at ${server} does not answer ${asked}: ${why}.`,
    { details },
    { retryAfterMs: AGAIN_MS },
  );
}

/** An answer that the API would not give. */
export const answerInvalid = (asked: string, why: string): RackwrightError =>
  fail(
    'KUBERNETES_ANSWER_INVALID',
    `The answer to ${asked} is not that of the Kubernetes API: ${why}.`,
    { details: { asked } },
    { retryAfterMs: AGAIN_MS },
  );

/** The failure that an exception of the client stands for. */
export function failureOf(asked: string, server: string, error: unknown): RackwrightError {
  if (error instanceof RackwrightError) return error;
  if (error instanceof ApiException) return refusal(asked, error.code, wordsOf(error.body));
  // What the client cannot read it tells by an error without a code.
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (code === undefined && ['Error', 'SyntaxError', 'TypeError'].includes(String(name)))
    return answerInvalid(asked, 'it cannot be read');
  return unanswered(asked, server, error);
}

/** `message` of a Status; the client hands it on parsed or as text. */
function wordsOf(body: unknown): string {
  let value = body;
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value);
    } catch {
      return '';
    }
  }
  const { message } = (value ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : '';
}

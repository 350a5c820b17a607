import { firstWords } from '../../core/whole-words.ts';
import { errors } from 'undici';
import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { Json } from '../../core/json.ts';
import { anyMessage, mostSevere, readMessages, type RedfishMessage } from '../../core/redfish/messages.ts';
import { shownUrl } from '../../core/redfish/media.ts';
import { FingerprintMismatch } from './connector.ts';

/** What was asked: never with a body or credentials. */
export interface AskedOf {
  readonly method: string;
  readonly url: string;
}

/** What a BMC answered; any status. */
export interface RedfishResponse extends AskedOf {
  readonly status: number;
  readonly headers: {
    readonly location?: string;
    readonly etag?: string;
    readonly allow?: string;
    readonly retryAfterMs?: number;
    readonly token?: string;
  };
  /** The parsed JSON; undefined if there was none. */
  readonly body: unknown;
  /** The beginning of a body that is not JSON. */
  readonly text: string;
}

/** The messages of an answer, with the beginning of a body that is no JSON as the last resort. */
export function messagesOf(response: Pick<RedfishResponse, 'body' | 'text'>): RedfishMessage[] {
  const messages = readMessages(response.body);
  if (messages.length > 0 || response.text === '') return messages;
  const plain = response.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  const text = firstWords(plain.trim(), 200);
  return text === '' ? [] : [{ id: null, text, args: [], severity: null, resolution: null, properties: [] }];
}

/** The answer without these secrets, should the BMC have quoted what it was sent. */
export function withoutSecrets(
  response: RedfishResponse,
  secrets: readonly (string | undefined)[],
): RedfishResponse {
  const hide = (text: string): string =>
    secrets.reduce<string>((t, s) => (s === undefined || s.length < 3 ? t : t.replaceAll(s, '***')), text);
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return hide(value);
    if (typeof value !== 'object' || value === null || depth > 8) return value;
    if (Array.isArray(value)) return value.map((v) => walk(v, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v, depth + 1)]));
  };
  return { ...response, body: walk(response.body, 0), text: hide(response.text) };
}

/** A BMC's text for people: URLs in it are cut to origin and file name, since paths of ours carry tokens. */
export const shownText = (text: string): string =>
  text.replace(/\b(?:https?|nfs|cifs|smb):\/\/[^\s"'<>]+/gi, (url) =>
    url.includes('/redfish/') ? url : shownUrl(url),
  );

/** The texts of messages, for people. */
export const shownTexts = (messages: readonly RedfishMessage[]): string[] =>
  messages.flatMap((m) => (m.text === null ? [] : [shownText(m.text)])).slice(0, 8);

/** Facts about an answer for a failure's details. */
export function answerDetails(response: RedfishResponse): { [key: string]: Json } {
  const messages = messagesOf(response);
  const resolution = mostSevere(messages)?.resolution ?? null;
  return {
    method: response.method,
    url: response.url,
    status: response.status,
    messageIds: messages.map((m) => m.id).filter((id): id is string => id !== null),
    messages: shownTexts(messages),
    ...(resolution === null ? {} : { resolution }),
  };
}

const SESSION_LIMIT =
  /RAC0218|SessionLimit|(maximum|too many|limit)[^.]{0,40}session|session[^.]{0,40}(limit|exceed|maximum)/i;
const WRONG_STATE = /UnableToModifyDuringSystemPOST|InvalidOperationForSystemState|during (system )?POST\b/i;
/** A write that waits for another one: a plain 400 to some. */
const JOB_PENDING =
  /ResourceInUse|(job|configuration)s?\b[^.]{0,60}\b(pending|in progress|committed|scheduled|running)|(pending|scheduled|running)\b[^.]{0,40}\bjob/i;

/** Which code an unwelcome answer has, apart from what the resource makes of it. */
export function codeOf(response: RedfishResponse): ErrorCode {
  const { status } = response;
  const messages = messagesOf(response);
  if (anyMessage(messages, /PasswordChangeRequired/)) return 'BMC_PASSWORD_CHANGE_REQUIRED';
  if (status === 401) return 'BMC_AUTH_FAILED';
  if (anyMessage(messages, SESSION_LIMIT)) return 'BMC_SESSION_LIMIT';
  if (anyMessage(messages, WRONG_STATE)) return 'BMC_STATE_REFUSED';
  if (status === 400 && anyMessage(messages, JOB_PENDING)) return 'BMC_STATE_REFUSED';
  if (status === 403) return 'BMC_FORBIDDEN';
  if (status === 404 || status === 410) return 'BMC_NOT_FOUND';
  if (status === 409 || status === 412 || status === 423) return 'BMC_CONFLICT';
  if (status === 429 || status === 503) return 'BMC_BUSY';
  if (status === 501) return 'BMC_REFUSED';
  return status >= 500 ? 'BMC_INTERNAL_ERROR' : 'BMC_REFUSED';
}

const PAUSE: { readonly [code: string]: number } = {
  BMC_SESSION_LIMIT: 20_000,
  BMC_BUSY: 10_000,
  BMC_STATE_REFUSED: 10_000,
  BMC_CONFLICT: 5_000,
};

/** Makes the error of an unwelcome answer; a code may be given where the resource knows better. */
export function refusal(
  response: RedfishResponse,
  what: string,
  code: ErrorCode = codeOf(response),
): RackwrightError {
  const text = mostSevere(messagesOf(response))?.text;
  const said = text === undefined || text === null ? '' : `: ${shownText(text)}`;
  const pause = response.headers.retryAfterMs ?? PAUSE[code];
  return fail(
    code,
    `${what}: the BMC answered ${response.status}${said}`,
    { details: answerDetails(response) },
    pause === undefined ? {} : { retryAfterMs: pause },
  );
}

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const codes = (error: unknown): string[] => {
  const found: string[] = [];
  const queue: unknown[] = [error];
  for (let i = 0; i < queue.length && i < 16; i += 1) {
    const e = queue[i];
    if (typeof e !== 'object' || e === null) continue;
    const { code, cause, errors } = e as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string') found.push(code);
    if (cause !== undefined) queue.push(cause);
    if (Array.isArray(errors)) queue.push(...(errors as unknown[]));
  }
  return found;
};

/** Whether the connection was never established, so that nothing can have been asked of the BMC. */
export function wasNeverSent(error: unknown): boolean {
  if ((error as { syscall?: unknown } | null)?.syscall === 'connect') return true;
  return codes(error).some((code) => NEVER_SENT.has(code));
}

const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

/** Makes the error of a request that got no answer. */
export function transportFailure(error: unknown, asked: AskedOf, timedOut: boolean): RackwrightError {
  if (error instanceof RackwrightError) return error;
  const details = { method: asked.method, url: asked.url };
  const where = `${asked.method} ${asked.url}`;
  if (error instanceof FingerprintMismatch) {
    const shown = `sha256:${error.shown}`;
    return fail('BMC_TLS_FINGERPRINT', `${where}: the certificate shown is ${shown}, not the pinned one.`, {
      details: { ...details, shown },
    });
  }
  const found = codes(error);
  const code = found[0] ?? (error instanceof Error ? error.name : 'unknown error');
  const because = { details: { ...details, reason: code } };
  if (found.some((c) => UNTRUSTED.test(c))) {
    return fail('BMC_TLS_UNTRUSTED', `${where}: the certificate is not trusted (${code}).`, because);
  }
  if (wasNeverSent(error))
    return fail('BMC_UNREACHABLE', `${where}: no connection (${code}).`, because, { cause: error });
  if (found.some((c) => c.startsWith('ERR_SSL') || c === 'EPROTO' || c.startsWith('ERR_TLS'))) {
    return fail('BMC_TLS_FAILED', `${where}: no TLS connection (${code}).`, because);
  }
  const unreadable = error instanceof errors.HTTPParserError;
  if (unreadable || found.some((c) => c.startsWith('HPE_') || c === 'UND_ERR_HEADERS_OVERFLOW')) {
    return fail('BMC_ANSWER_INVALID', `${where}: the answer is not HTTP as it should be (${code}).`, because);
  }
  if (timedOut || found.some((c) => /TIMEOUT/.test(c))) {
    return fail('BMC_CONNECTION_LOST', `${where}: no complete answer in time.`, because, {
      retryAfterMs: 5_000,
    });
  }
  return fail('BMC_CONNECTION_LOST', `${where}: the connection broke (${code}).`, because, {
    retryAfterMs: 2_000,
  });
}

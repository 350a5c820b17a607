import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import { wordsWithin } from '../http-answers.ts';
import { firstWords } from '../../core/whole-words.ts';

/** What was asked: method and path, never a body. */
export interface Asked {
  readonly method: string;
  readonly path: string;
}

const MAX_FAULT = 600;

/** Ironic's own words for an error: `faultstring`, wherever its layers have wrapped it. */
export const faultOf = (body: string): string =>
  firstWords(
    wordsWithin(
      body,
      4,
      (layer) => layer['error_message'] ?? layer['faultstring'] ?? layer['description'] ?? layer['title'],
    )
      .replace(/\s+/g, ' ')
      .trim(),
    MAX_FAULT,
  );

/** The code of an answer that is not a success. */
export function codeOf(status: number, fault: string): ErrorCode {
  if (status === 403 && /is protected/i.test(fault)) return 'IRONIC_REFUSED';
  if (status === 401 || status === 403) return 'IRONIC_AUTH_FAILED';
  if (status === 404 && /^node\b/i.test(fault)) return 'IRONIC_NODE_MISSING';
  if (status === 406) return 'IRONIC_VERSION_UNSUPPORTED';
  if (status === 409 && /\blocked\b|is being (?:used|updated)|reserved/i.test(fault))
    return 'IRONIC_NODE_LOCKED';
  if (status === 409 && /state transition is in progress/i.test(fault)) return 'IRONIC_NODE_LOCKED';
  if (status === 429 || status >= 500) return 'IRONIC_UNAVAILABLE';
  return 'IRONIC_REFUSED';
}

/** The failure that an answer of Ironic stands for. */
export function refusal(asked: Asked, status: number, body: string): RackwrightError {
  const fault = faultOf(body);
  const code = codeOf(status, fault);
  const said = fault === '' ? 'without a reason' : `: ${fault}`;
  return fail(
    code,
    `Ironic answers ${asked.method} ${asked.path} with ${status}${said.startsWith(':') ? said : ` ${said}`}`,
    { details: { ...asked, status, fault } },
    code === 'IRONIC_NODE_LOCKED' || code === 'IRONIC_UNAVAILABLE' ? { retryAfterMs: 2000 } : {},
  );
}

/** The failure of a request that got no answer. The cause is named, never a header or a body. */
export function unreachable(asked: Asked, origin: string, cause: unknown): RackwrightError {
  const { code, name } = cause as { code?: unknown; name?: unknown };
  const why =
    name === 'TimeoutError'
      ? 'no answer in time'
      : typeof code === 'string'
        ? code
        : String(name ?? 'unknown');
  return fail(
    'IRONIC_UNREACHABLE',
    `Ironic at ${origin} does not answer ${asked.method} ${asked.path}: ${why}.`,
    { details: { ...asked, origin, why } },
    { retryAfterMs: 5000 },
  );
}

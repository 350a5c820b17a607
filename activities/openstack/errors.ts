import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import type { FaultDomain } from '../../core/fault-domains.ts';
import type { ServiceType } from '../../core/openstack/catalog.ts';
import { TLS_CODES, wordsWithin } from '../http-answers.ts';
import { firstWords } from '../../core/whole-words.ts';

const MAX_SAID = 400;
const AGAIN_MS = 2000;

/** What was asked: the service, method and path, never a body or a header. */
export interface Asked {
  readonly service: ServiceType;
  readonly method: string;
  readonly path: string;
}

/** What a service is called in messages. */
const NAMES: { readonly [type in ServiceType]: string } = {
  identity: 'Keystone',
  compute: 'Nova',
  network: 'Neutron',
  image: 'Glance',
  placement: 'Placement',
  baremetal: 'Ironic',
};
export const nameOf = (service: ServiceType): string => NAMES[service];

/** Whose a service is that does not serve. */
const domain = (service: ServiceType): { faultDomain?: FaultDomain } =>
  service === 'baremetal' ? { faultDomain: 'ironic' } : {};

const words = ({ service, method, path }: Asked): string => `${NAMES[service]}: ${method} ${path}`;

/** The code of an answer that is not a success. */
function codeOf(status: number): ErrorCode {
  if (status === 401) return 'OPENSTACK_UNAUTHORIZED';
  if (status === 403) return 'OPENSTACK_FORBIDDEN';
  if (status === 429 || status >= 500) return 'OPENSTACK_UNAVAILABLE';
  return 'OPENSTACK_REFUSED';
}

/** The failure that an answer stands for; `status` is in its details. */
export function refusal(asked: Asked, status: number, body: string): RackwrightError {
  const code = codeOf(status);
  const said = saidOf(body);
  return fail(
    code,
    `${words(asked)} is answered with ${status}${said === '' ? '' : `: ${said}`}`,
    {
      details: { ...asked, status, said },
      ...(code === 'OPENSTACK_UNAVAILABLE' ? domain(asked.service) : {}),
    },
    code === 'OPENSTACK_UNAVAILABLE' ? { retryAfterMs: AGAIN_MS } : {},
  );
}

/** The service's own words, which each service wraps in its own way. */
export const saidOf = (body: string): string =>
  // `{"forbidden": {"message": …}}`, `{"NeutronError": {…}}`, `{"errors": [{…}]}`: the one thing in it.
  firstWords(
    wordsWithin(body, 5, (layer) => WORDS.map((name) => layer[name]).find(isTold) ?? Object.values(layer)[0])
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    MAX_SAID,
  );

const WORDS = ['message', 'faultstring', 'detail', 'error_message', 'description', 'title'];
const isTold = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** The failure of a request that got no answer. The cause is named, never what was sent. */
export function unanswered(asked: Asked, root: string, cause: unknown): RackwrightError {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
  const timedOut = name === 'TimeoutError' || /TIMEOUT|TIMEDOUT/.test(String(code));
  const why = timedOut ? 'no answer in time' : typeof code === 'string' ? code : String(name ?? 'unknown');
  const details = { ...asked, endpoint: root, reason: why };
  if (TLS_CODES.test(why)) {
    return fail('OPENSTACK_TLS_UNTRUSTED', `The certificate of ${root} is not trusted: ${why}.`, { details });
  }
  return fail(
    'OPENSTACK_UNREACHABLE',
    `${words(asked)} is not answered at ${root}: ${why}.`,
    { details, ...domain(asked.service) },
    { retryAfterMs: AGAIN_MS },
  );
}

/** An answer that the API would not give. */
export const answerInvalid = (asked: Asked, why: string): RackwrightError =>
  fail(
    'OPENSTACK_ANSWER_INVALID',
    `${words(asked)} is not answered as that API does: ${why}.`,
    { details: { ...asked } },
    { retryAfterMs: AGAIN_MS },
  );

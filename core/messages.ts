import { failure, type Failure } from './errors/failure.ts';
import { parseDuration } from './duration.ts';
import {
  boolean,
  duration,
  listOf,
  oneOf,
  parseFields,
  pattern,
  required,
  type Field,
  type Parsed,
} from './fields.ts';
import { fingerprint } from './fingerprint.ts';
import type { JsonObject } from './json.ts';
import { CLEANUP_PREFIX, NAME_PATTERN, REQUEST_ID_PATTERN } from './names.ts';
import type { OnFailure } from './operations.ts';
import { SERVICE_STEPS } from './service-work.ts';
import type { Verb } from './verbs.ts';

/** A request for a verb, parsed. `args` are the verb's own; the common ones stand beside them. */
export interface VerbRequest {
  readonly verb: Verb;
  readonly requestId: string;
  readonly args: JsonObject;
  readonly reason?: string;
  readonly onFailure?: OnFailure;
  readonly deadlineSeconds?: number;
  /** Equal for equal requests; tells a repetition from a reuse of the requestId. */
  readonly fingerprint: string;
}

const IMAGE = pattern(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'the name of an image of the contract');
const OWNER = pattern(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/, 'a name of up to 63 letters, digits, . _ @ -');
const SECRET = pattern(
  /^(env|file|blob):[^\s]{1,400}$/,
  'a reference (blob:ID, file:PATH or env:NAME), never the content itself',
);
const SSH_KEY = pattern(/^(ssh-|ecdsa-|sk-)[^\r\n]{1,16000}$/, 'a public SSH key in one line');
const TEXT = pattern(/^[^\0]{1,1000}$/s, 'a text of 1 to 1000 characters');
const REQUEST_ID = pattern(
  REQUEST_ID_PATTERN,
  'up to 128 letters, digits, . _ - and begin with a letter or digit',
);

/** Fields that every message may carry. */
const COMMON: { readonly [name: string]: Field } = {
  requestId: {
    ...REQUEST_ID,
    expects: `${REQUEST_ID.expects} (not "${CLEANUP_PREFIX}…")`,
    accepts: (v) => REQUEST_ID.accepts(v) && !String(v).startsWith(CLEANUP_PREFIX),
  },
  reason: TEXT,
  onFailure: oneOf('hold', 'fail'),
  deadline: duration,
};

const STEP = pattern(/^[a-z][a-z0-9-]{0,62}$/, 'the id of a step');

/** The fields of each verb beside the common ones. */
export const VERB_FIELDS: { readonly [V in Verb]: { readonly [name: string]: Field } } = {
  enroll: {},
  inspect: { accept: boolean },
  clean: { erase: oneOf('metadata', 'full') },
  deploy: {
    image: required(IMAGE),
    owner: OWNER,
    userData: SECRET,
    sshKeys: listOf(SSH_KEY, 32),
    hostname: pattern(NAME_PATTERN, 'a host name: lower-case letters, digits, dots and dashes'),
  },
  reimage: { image: required(IMAGE), keepData: boolean },
  release: {},
  service: { steps: SERVICE_STEPS },
  rescue: { sshKeys: listOf(SSH_KEY, 32) },
  unrescue: {},
  power: { state: required(oneOf('on', 'off', 'reboot')) },
  maintenance: { on: required(boolean), reason: required(TEXT) },
  quarantine: { reason: required(TEXT) },
  unquarantine: { reason: required(TEXT) },
  adopt: { owner: required(OWNER), image: IMAGE },
  decommission: {},
  resume: { from: STEP },
  abort: { reason: required(TEXT) },
};

/**
 * Parses any value as the argument of a verb. Total: it never throws, whatever comes in.
 * @param newId makes a requestId where the sender gave none
 */
export function parseVerb(
  verb: Verb,
  input: unknown,
  newId: () => string,
): { ok: true; value: VerbRequest } | { ok: false; failure: Failure; requestId?: string } {
  const parsed = parseFields(input, { ...COMMON, ...VERB_FIELDS[verb] });
  if (!parsed.ok) {
    const requestId = requestIdOf(input);
    const { field, message } = parsed.problem;
    return {
      ok: false,
      failure: failure('INVALID_MESSAGE', `${verb}: ${field} ${message}.`, { details: { field, verb } }),
      ...(requestId === undefined ? {} : { requestId }),
    };
  }
  const { requestId, reason, onFailure, deadline, ...args } = parsed.value;
  const deadlineSeconds = parseDuration(deadline);
  return {
    ok: true,
    value: {
      verb,
      requestId: typeof requestId === 'string' ? requestId : newId(),
      args,
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(onFailure === 'hold' || onFailure === 'fail' ? { onFailure } : {}),
      ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
      fingerprint: fingerprint({ verb, args }),
    },
  };
}

/** The requestId of a message that is wrong otherwise, so that its sender can still be answered. */
function requestIdOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'requestId')) return undefined;
  const id = (input as { requestId: unknown }).requestId;
  return COMMON['requestId']!.accepts(id) ? (id as string) : undefined;
}

/** Parses `{site, node}`, the input that starts an entity, and leaves anything else to its caller. */
export function parseNodeInput(input: unknown): Parsed<{ site: string; node: string }> {
  const name = required(pattern(NAME_PATTERN, 'a name such as "gpu-01"'));
  const parsed = parseFields(pick(input, ['site', 'node']), { site: name, node: name });
  return parsed.ok
    ? { ok: true, value: { site: String(parsed.value['site']), node: String(parsed.value['node']) } }
    : parsed;
}

/** Parses `{site}`, the input that starts the watch of a site. */
export function parseWatchInput(input: unknown): Parsed<{ site: string }> {
  const parsed = parseFields(input, { site: required(pattern(NAME_PATTERN, 'a name such as "lab"')) });
  return parsed.ok ? { ok: true, value: { site: String(parsed.value['site']) } } : parsed;
}

function pick(input: unknown, names: readonly string[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}

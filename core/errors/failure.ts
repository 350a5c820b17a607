import type { FaultDomain } from '../fault-domains.ts';
import { FAULT_DOMAINS } from '../fault-domains.ts';
import type { Json } from '../json.ts';
import { CATALOGUE, isErrorCode, type ErrorCode } from './catalogue.ts';

/** What went wrong, in the one shape that histories, reports, the CLI and HTTP answers share. */
export interface Failure {
  readonly code: ErrorCode;
  readonly faultDomain: FaultDomain;
  readonly message: string;
  /** The smallest correction, as an instruction. */
  readonly correction: string;
  readonly retryable: boolean;
  /** Facts that help: MessageIds, URLs, names. Never a secret. */
  readonly details?: { readonly [key: string]: Json };
}

/** Makes a failure from a code; what the catalogue says is the default. */
export function failure(
  code: ErrorCode,
  message: string,
  over: Partial<Omit<Failure, 'code' | 'message'>> = {},
): Failure {
  const { faultDomain, correction, retryable } = CATALOGUE[code];
  return { code, faultDomain, message, correction, retryable, ...over };
}

/** Reads a failure back from untrusted JSON; undefined if it is not one. */
export function asFailure(value: unknown): Failure | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const v = value as Record<string, unknown>;
  if (!isErrorCode(v['code']) || typeof v['message'] !== 'string') return undefined;
  if (!(FAULT_DOMAINS as readonly unknown[]).includes(v['faultDomain'])) return undefined;
  if (typeof v['correction'] !== 'string' || typeof v['retryable'] !== 'boolean') return undefined;
  return value as Failure;
}

/**
 * The one exception of Rackwright's own code. `retryAfterMs` says when to look again: a "not yet"
 * (a retryable failure with a delay) holds no worker slot while it waits.
 */
export class RackwrightError extends Error {
  readonly failure: Failure;
  readonly retryAfterMs: number | undefined;

  constructor(failure: Failure, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(failure.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RackwrightError';
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The error without its stack trace: Temporal keeps and shows it, and it names paths of the machine. */
export function untraced<E extends Error>(error: E): E {
  error.stack = '';
  return error;
}

/** Shorthand: an exception from a code. */
export const fail = (
  code: ErrorCode,
  message: string,
  over: Partial<Omit<Failure, 'code' | 'message'>> = {},
  options: { cause?: unknown; retryAfterMs?: number } = {},
): RackwrightError => new RackwrightError(failure(code, message, over), options);

/** "Not yet": look again after the delay; if the step's bound ends first, this is what it was waiting for. */
export const notYet = (code: ErrorCode, message: string, retryAfterMs: number): RackwrightError =>
  new RackwrightError(failure(code, message, { retryable: true }), { retryAfterMs });

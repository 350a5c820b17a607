import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { failure, RackwrightError, untraced, type Failure } from '../core/errors/failure.ts';
import { redact } from './secrets/redact.ts';
import type { Site } from './site.ts';
import { firstWords } from '../core/whole-words.ts';

/**
 * Any error as Temporal carries it: the type is the catalogue's code, the first detail the failure.
 * An abort is a cancellation only if the attempt was cancelled. Secrets that the process has resolved are masked, stack traces and causes stay in the log.
 */
export function toApplicationFailure(
  error: unknown,
  site: Pick<Site, 'secrets' | 'log'>,
  cancelled: boolean,
): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return untraced(error);
  if (cancelled && isAbort(error)) return untraced(new CancelledFailure('The attempt was cancelled.'));
  const known = redact(asKnown(error), site.secrets);
  if (!(error instanceof RackwrightError))
    site.log.error({ err: error }, 'an error that the catalogue does not know');
  const retryAfterMs = error instanceof RackwrightError ? error.retryAfterMs : undefined;
  return untraced(
    ApplicationFailure.create({
      type: known.code,
      message: known.message,
      nonRetryable: !known.retryable,
      details: [known],
      ...(retryAfterMs === undefined ? {} : { nextRetryDelay: retryAfterMs }),
    }),
  );
}

function asKnown(error: unknown): Failure {
  if (error instanceof RackwrightError) return error.failure;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return failure('UNEXPECTED', firstWords(text, 500));
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

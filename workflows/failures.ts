import { ActivityFailure, ApplicationFailure, CancelledFailure, TemporalFailure } from '@temporalio/workflow';
import { asFailure, failure, untraced, type Failure } from '../core/errors/failure.ts';
import type { ErrorCode } from '../core/errors/catalogue.ts';

/** The failure that an activity ended with, or undefined if all that is known is that time ran out. */
export function failureOf(error: unknown): Failure | undefined {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof ApplicationFailure) {
      return asFailure(e.details?.[0]) ?? failure('UNEXPECTED', e.message.slice(0, 500));
    }
  }
  return undefined;
}

/** Whether an activity ended because its scope was cancelled. */
export function isCancelled(error: unknown): boolean {
  return (
    error instanceof CancelledFailure ||
    (error instanceof ActivityFailure && error.cause instanceof CancelledFailure)
  );
}

/** Whether an error is Temporal's own report of what failed; anything else is a bug in a workflow. */
export const isReported = (error: unknown): boolean => error instanceof TemporalFailure;

/** Fails a workflow at once: it was started wrongly. */
export const startedWrongly = (
  code: 'INVALID_MESSAGE' | 'INVALID_WORKFLOW_ID',
  message: string,
): ApplicationFailure =>
  untraced(
    ApplicationFailure.create({
      message,
      type: code,
      nonRetryable: true,
      details: [failure(code, message)],
    }),
  );

/** Refuses an update before it enters the history: its sender gets the code and the message. */
export function reject(f: Failure): never {
  throw untraced(
    ApplicationFailure.create({
      type: f.code satisfies ErrorCode,
      message: `${f.message} ${f.correction}`,
      nonRetryable: true,
      details: [f],
    }),
  );
}

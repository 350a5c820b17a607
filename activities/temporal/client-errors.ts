import { WorkflowNotFoundError } from '@temporalio/client';
import { asFailure, fail, failure, RackwrightError, type Failure } from '../../core/errors/failure.ts';
import { isErrorCode } from '../../core/errors/catalogue.ts';
import { firstWords } from '../../core/whole-words.ts';

interface Reported extends Error {
  readonly type?: unknown;
  readonly details?: readonly unknown[];
}

/** The failure that stands in an error of the Temporal client, wherever in its chain of causes. */
export function failureIn(error: unknown): Failure | undefined {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    const { type, details } = e as Reported;
    const found = asFailure(details?.[0]);
    if (found) return found;
    if (isErrorCode(type)) return failure(type, e.message);
  }
  return undefined;
}

/** Any error of the Temporal client as one of ours. */
export function asRackwrightError(error: unknown, what: string): RackwrightError {
  if (error instanceof RackwrightError) return error;
  const found = failureIn(error);
  if (found) return new RackwrightError(found, { cause: error });
  if (error instanceof WorkflowNotFoundError) {
    return fail('OPERATION_UNKNOWN', `There is no ${what}.`, {}, { cause: error });
  }
  const message = error instanceof Error ? rootMessage(error) : String(error);
  if (isSilence(error)) {
    return fail('NOT_READY', `No worker answered for ${what} in time.`, {}, { cause: error });
  }
  return fail('UNEXPECTED', `${what}: ${firstWords(message, 500)}`, {}, { cause: error });
}

function rootMessage(error: Error): string {
  let e: Error = error;
  while (e.cause instanceof Error) e = e.cause;
  return e.message;
}

/** gRPC DEADLINE_EXCEEDED and CANCELLED, and what the client makes of them. */
function isSilence(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: unknown };
    if (code === 4 || code === 1 || e.name === 'WorkflowUpdateRPCTimeoutOrCancelledError') return true;
  }
  return false;
}

import { CATALOGUE, type ErrorCode } from '../../core/errors/catalogue.ts';
import type { OperationReport } from '../../core/operations.ts';

/** Exit codes of every command. */
export const EXIT = { done: 0, fail: 1, usage: 2, error: 3, held: 4 } as const;

const UNKNOWN_NAMES: readonly ErrorCode[] = ['NODE_UNKNOWN', 'IMAGE_UNKNOWN'];

/** What a caller over HTTP has no part in, and whoever asks here is told the cause of. */
const KNOWN_CAUSES: readonly ErrorCode[] = ['NOT_SUPPORTED', 'IMAGE_CHECKSUM_MISMATCH'];

/** The exit code of a command that ended with an error. */
export function exitOfError(code: ErrorCode): number {
  const { httpStatus } = CATALOGUE[code];
  if (httpStatus === 422 || UNKNOWN_NAMES.includes(code)) return EXIT.usage;
  return httpStatus >= 500 && !KNOWN_CAUSES.includes(code) ? EXIT.error : EXIT.fail;
}

/** The exit code of a command that waited for an operation or an acceptance run. */
export function exitOfReport(report: Pick<OperationReport, 'outcome' | 'held'>): number {
  if (report.outcome === undefined) return report.held ? EXIT.held : EXIT.done;
  if (report.outcome === 'pass') return EXIT.done;
  return report.outcome === 'error' ? EXIT.error : EXIT.fail;
}

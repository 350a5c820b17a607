import { formatDuration } from '../duration.ts';
import type { Failure } from '../errors/failure.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { OperationReport, StepReport } from '../operations.ts';

/** How an operation showed whether its deploy agent reached something. */
export interface LastSeen {
  readonly operation: Pick<OperationReport, 'kind' | 'requestId'>;
  /** ISO 8601. */
  readonly at: string;
  /** Set where it did not. */
  readonly failure?: Failure;
  readonly step: StepReport;
}

/** What shows of a step that the agent reached it, and which failures say that it did not: others say nothing. */
export interface Shown {
  readonly step: string;
  readonly missed: readonly ErrorCode[];
}

export const CALL_BACKS: Shown = { step: 'await-agent', missed: ['AGENT_SILENT'] };
export const IMAGE_SOURCE: Shown = {
  step: 'write-image',
  missed: ['IMAGE_DOWNLOAD_FAILED', 'IMAGE_SOURCE_UNREACHABLE'],
};

/** What an operation tells; undefined where it does not. */
export function seenIn(report: OperationReport, { step: id, missed }: Shown): LastSeen | undefined {
  const step = report.steps.find((each) => each.id === id);
  const at = step?.endedAt ?? report.endedAt;
  if (step === undefined || at === undefined) return undefined;
  const { kind, requestId } = report;
  const seen = { operation: { kind, requestId }, at, step };
  if (step.state === 'done') return seen;
  const { failure } = step;
  return step.state === 'failed' && failure && missed.includes(failure.code)
    ? { ...seen, failure }
    : undefined;
}

/** How old it is, in words. */
export const ageOf = ({ operation: { kind, requestId }, at }: LastSeen, now: number): string =>
  `${formatDuration(Math.max(0, Math.round((now - Date.parse(at)) / 1000)))} ago, at ${at}, in ${kind} ${requestId}`;

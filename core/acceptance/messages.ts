import { failure, type Failure } from '../errors/failure.ts';
import { listOf, oneOf, parseFields, pattern, required, wholeNumber, type Field } from '../fields.ts';
import { NAME_PATTERN, REQUEST_ID_PATTERN } from '../names.ts';
import type { GateNumber } from './gates.ts';
import type { AcceptanceInput } from './report.ts';

const GATE = wholeNumber(1, 7);
const RUN = pattern(REQUEST_ID_PATTERN, 'up to 128 letters, digits, . _ - that begin with a letter or digit');
const TEXT = pattern(/^[^\0]{1,1000}$/s, 'a text of 1 to 1000 characters');

/** The fields of what starts a run. */
export const ACCEPTANCE_FIELDS: { readonly [name: string]: Field } = {
  site: required(pattern(NAME_PATTERN, 'a name such as "lab"')),
  runId: RUN,
  gates: listOf(GATE, 7),
  onFailure: oneOf('hold', 'fail'),
  whenBusy: oneOf('refuse', 'wait'),
  from: GATE,
  of: RUN,
  reason: TEXT,
};

type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

const refused = <T>(message: string, field: string): Result<T> => ({
  ok: false,
  failure: failure('INVALID_MESSAGE', message, { details: { field } }),
});

/**
 * Parses any value as the input that starts a run. Total: it never throws, whatever comes in.
 *
 * @param runId the one in the workflow's id, which is the run's
 */
export function parseAcceptanceInput(input: unknown, runId: string): Result<AcceptanceInput> {
  const parsed = parseFields(input, ACCEPTANCE_FIELDS);
  if (!parsed.ok) {
    const { field, message } = parsed.problem;
    return refused(`acceptance: ${field} ${message}.`, field);
  }
  const { site, gates, onFailure, whenBusy, from, of, reason } = parsed.value;
  if (parsed.value['runId'] !== undefined && parsed.value['runId'] !== runId) {
    return refused(`acceptance: runId must be the one in the workflow's id, ${runId}.`, 'runId');
  }
  if ((from === undefined) !== (of === undefined)) {
    return refused(
      'acceptance: from and of belong together: the gate to begin at, and the run whose evidence is used for those before it.',
      from === undefined ? 'from' : 'of',
    );
  }
  if (Array.isArray(gates) && gates.length === 0)
    return refused('acceptance: gates must not be empty.', 'gates');
  if (Array.isArray(gates) && typeof from === 'number' && !gates.includes(from)) {
    return refused(
      `acceptance: from must be one of gates, ${gates.join(', ')}: nothing else is run.`,
      'from',
    );
  }
  return {
    ok: true,
    value: {
      site: String(site),
      runId,
      ...(Array.isArray(gates) ? { gates: [...new Set(gates as GateNumber[])].sort((a, b) => a - b) } : {}),
      ...(onFailure === 'hold' || onFailure === 'fail' ? { onFailure } : {}),
      ...(whenBusy === 'refuse' || whenBusy === 'wait' ? { whenBusy } : {}),
      ...(typeof from === 'number' && typeof of === 'string' ? { from: from as GateNumber, of } : {}),
      ...(typeof reason === 'string' ? { reason } : {}),
    },
  };
}

/** Parses `resume` of a run: `{}`, or `{"from": 3}` to begin at an earlier gate. */
export function parseResume(input: unknown): Result<{ from?: GateNumber }> {
  const parsed = parseFields(input, { from: GATE, reason: TEXT });
  if (!parsed.ok)
    return refused(`resume: ${parsed.problem.field} ${parsed.problem.message}.`, parsed.problem.field);
  const { from } = parsed.value;
  return { ok: true, value: typeof from === 'number' ? { from: from as GateNumber } : {} };
}

/** Parses `abort` of a run: `{"reason": "…"}`. */
export function parseAbort(input: unknown): Result<{ reason: string }> {
  const parsed = parseFields(input, { reason: required(TEXT) });
  if (!parsed.ok)
    return refused(`abort: ${parsed.problem.field} ${parsed.problem.message}.`, parsed.problem.field);
  return { ok: true, value: { reason: String(parsed.value['reason']) } };
}

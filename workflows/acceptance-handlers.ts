import { setHandler } from '@temporalio/workflow';
import { parseAbort, parseResume } from '../core/acceptance/messages.ts';
import type { Failure } from '../core/errors/failure.ts';
import type { AcceptanceRun } from './acceptance-run.ts';
import { reject } from './failures.ts';
import { EXAMPLES, reportQuery, runUpdate, verbSignal } from './messages.ts';

/** Wires messages to the run. Synchronous and total: nothing here awaits, and nothing a sender sends throws. */
export function registerAcceptanceHandlers(run: AcceptanceRun): void {
  setHandler(reportQuery, () => run.report(), { description: 'All that is known of the run.' });
  registerControl(
    run,
    'resume',
    parseResume,
    (value) => run.refuseResume(value),
    (value) => run.resume(value),
  );
  registerControl(
    run,
    'abort',
    parseAbort,
    () => run.refuseAbort(),
    ({ reason }) => run.abort(reason),
  );
}

type Parse<T> = (input: unknown) => { ok: true; value: T } | { ok: false; failure: Failure };

/** `resume` and `abort`, each as a signal and as an update of one name. */
function registerControl<T>(
  run: AcceptanceRun,
  verb: 'resume' | 'abort',
  parse: Parse<T>,
  refuse: (value: T) => Failure | undefined,
  accept: (value: T) => void,
): void {
  const description =
    verb === 'resume'
      ? 'Run the gate again. Example: {} or {"from": 2}'
      : EXAMPLES[verb].replace('operation', 'run');
  const take = (input: unknown): Failure | undefined => {
    const parsed = parse(input);
    if (!parsed.ok) return parsed.failure;
    const refusal = refuse(parsed.value);
    if (!refusal) accept(parsed.value);
    return refusal;
  };
  const handle = (input: unknown): void => {
    const refusal = take(input);
    if (refusal) run.note(`A ${verb} was refused: ${refusal.message}`);
  };
  setHandler(verbSignal(verb), handle, { description });
  setHandler(
    runUpdate(verb),
    (input) => {
      handle(input);
      return run.ticket();
    },
    {
      description,
      validator: (input) => {
        const parsed = parse(input);
        if (!parsed.ok) reject(parsed.failure);
        const refusal = refuse(parsed.value);
        if (refusal) reject(refusal);
      },
    },
  );
}

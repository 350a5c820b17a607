import { setHandler } from '@temporalio/workflow';
import { parseAbort, parseResume } from '../core/acceptance/messages.ts';
import type { AcceptanceRun } from './acceptance-run.ts';
import { registerControl } from './control.ts';
import { EXAMPLES, reportQuery, runUpdate } from './messages.ts';

/** Wires messages to the run. Synchronous and total: nothing here awaits, and nothing a sender sends throws. */
export function registerAcceptanceHandlers(run: AcceptanceRun): void {
  setHandler(reportQuery, () => run.report(), { description: 'All that is known of the run.' });
  const ours = { note: (text: string) => run.note(text), ticket: () => run.ticket() };
  registerControl('resume', {
    ...ours,
    update: runUpdate('resume'),
    description: 'Run the gate again. Example: {} or {"from": 2}',
    parse: parseResume,
    refuse: (value) => run.refuseResume(value),
    accept: (value) => run.resume(value),
  });
  registerControl('abort', {
    ...ours,
    update: runUpdate('abort'),
    description: EXAMPLES.abort.replace('operation', 'run'),
    parse: parseAbort,
    refuse: () => run.refuseAbort(),
    accept: ({ reason }) => run.abort(reason),
  });
}

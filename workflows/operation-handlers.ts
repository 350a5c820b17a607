import { setHandler } from '@temporalio/workflow';
import { failure, type Failure } from '../core/errors/failure.ts';
import type { FieldProblem } from '../core/fields.ts';
import { parseAgentHeartbeat, parseAgentLookup, parseFirstBoot } from '../core/gateway-messages.ts';
import { parseVerb } from '../core/messages.ts';
import { registerControl } from './control.ts';
import { reject } from './failures.ts';
import {
  accessQuery,
  agentHeartbeatUpdate,
  agentLookupUpdate,
  announceSignal,
  EXAMPLES,
  firstBootUpdate,
  progressQuery,
  verbUpdate,
} from './messages.ts';
import type { OperationRun } from './operation-run.ts';

const FROM_GATEWAY = 'From the gateway; not for people.';

/** Wires messages to the run. Synchronous and total: nothing here awaits, and nothing a sender sends throws. */
export function registerHandlers(run: OperationRun): void {
  setHandler(progressQuery, () => run.report(), { description: 'All that is known of the operation.' });
  setHandler(announceSignal, () => run.announce(), { description: 'From the node; not for people.' });
  setHandler(accessQuery, () => run.callbacks.access(run.ref, run.args), { description: FROM_GATEWAY });
  const ours = { note: (text: string) => run.note(text), ticket: () => run.ticket() };
  registerControl('resume', {
    ...ours,
    update: verbUpdate('resume'),
    description: EXAMPLES.resume,
    parse: (input) => parseVerb('resume', input, () => 'control'),
    refuse: (request) => run.refuseResume(request),
    accept: (request) => run.resume(request),
  });
  registerControl('abort', {
    ...ours,
    update: verbUpdate('abort'),
    description: EXAMPLES.abort,
    parse: (input) => parseVerb('abort', input, () => 'control'),
    refuse: () => run.refuseAbort(),
    accept: (request) => run.abort(request.reason ?? 'no reason given'),
  });

  setHandler(agentLookupUpdate, (input) => run.callbacks.lookup(input), {
    description: FROM_GATEWAY,
    validator: (input) => check(parseAgentLookup(input), (value) => run.callbacks.refuseEpoch(value.epoch)),
  });
  setHandler(agentHeartbeatUpdate, (input) => run.callbacks.heartbeat(input), {
    description: FROM_GATEWAY,
    validator: (input) => check(parseAgentHeartbeat(input), (value) => run.callbacks.refuseHeartbeat(value)),
  });
  setHandler(firstBootUpdate, (input) => run.callbacks.reportFirstBoot(input), {
    description: FROM_GATEWAY,
    validator: (input) => check(parseFirstBoot(input), () => run.callbacks.refuseFirstBoot()),
  });
}

type Result<T> = { ok: true; value: T } | { ok: false; problem: FieldProblem };

function check<T>(parsed: Result<T>, refuse: (value: T) => Failure | undefined): void {
  if (!parsed.ok) {
    reject(failure('INVALID_MESSAGE', `${parsed.problem.field} ${parsed.problem.message}.`));
  }
  const refusal = refuse(parsed.value);
  if (refusal) reject(refusal);
}

import { setHandler } from '@temporalio/workflow';
import { failure, type Failure } from '../core/errors/failure.ts';
import type { FieldProblem } from '../core/fields.ts';
import { parseAgentHeartbeat, parseAgentLookup, parseFirstBoot } from '../core/gateway-messages.ts';
import { parseVerb, type VerbRequest } from '../core/messages.ts';
import { reject } from './failures.ts';
import {
  accessQuery,
  agentHeartbeatUpdate,
  agentLookupUpdate,
  announceSignal,
  EXAMPLES,
  firstBootUpdate,
  progressQuery,
  verbSignal,
  verbUpdate,
} from './messages.ts';
import type { OperationRun } from './operation-run.ts';

const FROM_GATEWAY = 'From the gateway; not for people.';

/** Wires messages to the run. Synchronous and total: nothing here awaits, and nothing a sender sends throws. */
export function registerHandlers(run: OperationRun): void {
  setHandler(progressQuery, () => run.report(), { description: 'All that is known of the operation.' });
  setHandler(announceSignal, () => run.announce(), { description: 'From the node; not for people.' });
  setHandler(accessQuery, () => run.callbacks.access(run.ref, run.args), { description: FROM_GATEWAY });
  registerControl(
    run,
    'resume',
    (request) => run.refuseResume(request),
    (request) => run.resume(request),
  );
  registerControl(
    run,
    'abort',
    () => run.refuseAbort(),
    (request) => run.abort(request.reason ?? 'no reason given'),
  );

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

/** `resume` and `abort`, each as a signal and as an update of one name. */
function registerControl(
  run: OperationRun,
  verb: 'resume' | 'abort',
  refuse: (request: VerbRequest) => Failure | undefined,
  accept: (request: VerbRequest) => void,
): void {
  const parse = (input: unknown) => parseVerb(verb, input, () => 'control');
  const description = EXAMPLES[verb];
  const handle = (input: unknown): void => {
    const parsed = parse(input);
    if (!parsed.ok) return run.note(`A ${verb} was refused: ${parsed.failure.message}`);
    const refusal = refuse(parsed.value);
    if (refusal) return run.note(`A ${verb} was refused: ${refusal.message}`);
    accept(parsed.value);
  };
  setHandler(verbSignal(verb), handle, { description });
  setHandler(
    verbUpdate(verb),
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

type Result<T> = { ok: true; value: T } | { ok: false; problem: FieldProblem };

function check<T>(parsed: Result<T>, refuse: (value: T) => Failure | undefined): void {
  if (!parsed.ok) {
    reject(failure('INVALID_MESSAGE', `${parsed.problem.field} ${parsed.problem.message}.`));
  }
  const refusal = refuse(parsed.value);
  if (refusal) reject(refusal);
}

import { condition, setHandler, uuid4 } from '@temporalio/workflow';
import { parseVerb } from '../core/messages.ts';
import { ALL_VERBS, type Verb } from '../core/verbs.ts';
import { reject } from './failures.ts';
import { EXAMPLES, operationEvent, stateQuery, verbSignal, verbUpdate } from './messages.ts';
import type { NodeEntity } from './node-entity.ts';

/**
 * Wires messages to the entity. Total, and everything that decides is synchronous. Only the answer to an
 * update waits, until the operation that its ticket names is there to be awaited.
 */
export function registerHandlers(entity: NodeEntity): void {
  setHandler(stateQuery, () => entity.state(), { description: 'All that is known of the node.' });
  setHandler(operationEvent, (event) => entity.onOperation(event), {
    description: 'From the running operation to its node; not for people.',
  });
  for (const verb of ALL_VERBS) registerVerb(entity, verb);
}

/** Each verb comes in as a signal and as an update of one name, with the same argument. */
function registerVerb(entity: NodeEntity, verb: Verb): void {
  const description = EXAMPLES[verb];
  setHandler(verbSignal(verb), (input) => entity.signal(verb, parseVerb(verb, input, uuid4)), {
    description,
  });
  setHandler(
    verbUpdate(verb),
    (input) => {
      const ticket = entity.accept(parseVerb(verb, input, uuid4));
      return condition(() => entity.handedOut(ticket)).then(() => ticket);
    },
    {
      description,
      // A validator leaves no trace in the history, so it must not draw from the workflow's random source.
      validator: (input) => {
        const refusal = entity.refusal(parseVerb(verb, input, () => 'not-yet-named'));
        if (refusal) reject(refusal);
      },
    },
  );
}

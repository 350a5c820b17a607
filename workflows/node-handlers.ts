import { condition, setDefaultSignalHandler, setHandler, uuid4 } from '@temporalio/workflow';
import { failure } from '../core/errors/failure.ts';
import { parseVerb } from '../core/messages.ts';
import { ALL_VERBS, type Verb } from '../core/verbs.ts';
import { reject } from './failures.ts';
import { Intake } from './intake.ts';
import { EXAMPLES, observedSignal, operationEvent, stateQuery, verbSignal, verbUpdate } from './messages.ts';
import type { NodeEntity } from './node-entity.ts';

/**
 * Wires messages to the entity. Total, and everything that decides is synchronous. Only the answer to an
 * update waits, until the operation that its ticket names is there to be awaited.
 */
export function registerHandlers(entity: NodeEntity): { readonly unheard: boolean } {
  setHandler(stateQuery, () => entity.state(), { description: 'All that is known of the node.' });
  const signals = new NodeSignals(entity);
  signals.open();
  for (const verb of ALL_VERBS) registerUpdate(entity, verb);
  return signals;
}

/** No requestId can be this: a validator leaves no trace, so it must not draw from the random source. */
const UNNAMED = '';

/** Each verb comes in as a signal and as an update of one name, with the same argument. */
class NodeSignals {
  readonly #entity: NodeEntity;
  readonly #intake: Intake;

  constructor(entity: NodeEntity) {
    this.#entity = entity;
    this.#intake = new Intake(this);
  }

  /** Whether signals wait that the workflow has received and not heard. */
  get unheard(): boolean {
    return this.#intake.closed;
  }

  open(): void {
    setHandler(operationEvent, (event) => this.#take('operation', event), {
      description: 'From the running operation to its node; not for people.',
    });
    setHandler(observedSignal, (seen) => this.#take('observed', seen), {
      description: 'From the watch of the site: what it saw of the node; not for people.',
    });
    for (const verb of ALL_VERBS) {
      const description = EXAMPLES[verb];
      setHandler(verbSignal(verb), (input) => this.#take(verb, input), { description });
    }
    this.drain();
  }

  drain(): void {
    setDefaultSignalHandler((name, input) => this.#take(name, input));
  }

  close(): void {
    setHandler(operationEvent, undefined);
    setHandler(observedSignal, undefined);
    for (const verb of ALL_VERBS) setHandler(verbSignal(verb), undefined);
    setDefaultSignalHandler(undefined);
  }

  #take(name: string, input: unknown): void {
    this.#intake.count();
    if (name === 'operation') this.#entity.onOperation(input);
    else if (name === 'observed') this.#entity.onObserved(input);
    else if (isVerb(name)) this.#entity.signal(name, parseVerb(name, input, uuid4));
    else this.#entity.onUnknown(name);
  }
}

const isVerb = (name: string): name is Verb => (ALL_VERBS as readonly string[]).includes(name);

function registerUpdate(entity: NodeEntity, verb: Verb): void {
  setHandler(
    verbUpdate(verb),
    (input) => {
      const parsed = parseVerb(verb, input, uuid4);
      // Refused here if another message came between the validator and now.
      const refusal = entity.refusal(parsed);
      if (refusal || !parsed.ok) reject(refusal ?? failure('INVALID_MESSAGE', 'It cannot be read.'));
      const ticket = entity.accept(parsed.value);
      return condition(() => entity.handedOut(ticket)).then(() => {
        const late = entity.voidTicket(ticket);
        if (late) reject(late);
        return ticket;
      });
    },
    {
      description: EXAMPLES[verb],
      validator: (input) => {
        const refusal = entity.refusalAtDoor(parseVerb(verb, input, () => UNNAMED));
        if (refusal) reject(refusal);
      },
    },
  );
}

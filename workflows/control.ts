import type { UpdateDefinition } from '@temporalio/common';
import { setHandler } from '@temporalio/workflow';
import type { Failure } from '../core/errors/failure.ts';
import { reject } from './failures.ts';
import { verbSignal } from './messages.ts';

/** How `resume` or `abort` of a workflow is read, refused and done. Nothing here may await or throw. */
export interface Control<T, Ticket> {
  readonly update: UpdateDefinition<Ticket, [unknown]>;
  readonly description: string;
  readonly parse: (input: unknown) => { ok: true; value: T } | { ok: false; failure: Failure };
  readonly refuse: (value: T) => Failure | undefined;
  readonly accept: (value: T) => void;
  /** Keeps a remark: a signal has no answer. */
  readonly note: (text: string) => void;
  /** What an update returns. */
  readonly ticket: () => Ticket;
}

/** `resume` and `abort`, each as a signal and as an update of one name. */
export function registerControl<T, Ticket>(verb: 'resume' | 'abort', control: Control<T, Ticket>): void {
  const { update, description, parse, refuse, accept, note, ticket } = control;
  const refusalOf = (parsed: ReturnType<typeof parse>): Failure | undefined =>
    parsed.ok ? refuse(parsed.value) : parsed.failure;
  const handle = (input: unknown): void => {
    const parsed = parse(input);
    const refusal = refusalOf(parsed);
    if (refusal) note(`A ${verb} was refused: ${refusal.message}`);
    else if (parsed.ok) accept(parsed.value);
  };
  setHandler(verbSignal(verb), handle, { description });
  setHandler(
    update,
    (input) => {
      handle(input);
      return ticket();
    },
    {
      description,
      validator: (input) => {
        const refusal = refusalOf(parse(input));
        if (refusal) reject(refusal);
      },
    },
  );
}

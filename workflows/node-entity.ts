import { decide, unknownStep } from '../core/decide.ts';
import { failure, type Failure } from '../core/errors/failure.ts';
import { parseOperationEvent } from '../core/events.ts';
import type { parseVerb, VerbRequest } from '../core/messages.ts';
import { nodeWorkflowId, operationWorkflowId } from '../core/names.ts';
import { afterLook, afterOperation, parseObserved, type Observed } from '../core/observed.ts';
import type { OperationEvent, OperationInput, Source, Ticket } from '../core/operations.ts';
import type { WatchedOperation } from '../core/site-activities.ts';
import { ended, lost, started } from '../core/transitions.ts';
import type { OperationKind, Verb } from '../core/verbs.ts';
import type { NodeState } from './messages.ts';
import type { NodeStanding } from './node-standing.ts';

type Parsed = ReturnType<typeof parseVerb>;

/** What a node answers to messages: everything here is decided at once, and done by `NodeLoop`. */
export class NodeEntity {
  readonly #standing: NodeStanding;
  /** Signals that came before the record was read. */
  #early: (() => void)[] = [];

  constructor(standing: NodeStanding) {
    this.#standing = standing;
  }

  state(): NodeState {
    return this.#standing.state();
  }

  /** What an update would be refused with; undefined if it would be accepted. */
  refusal(parsed: Parsed): Failure | undefined {
    const { ready, record } = this.#standing;
    if (!parsed.ok) return parsed.failure;
    if (!ready) return failure('NOT_READY', `The record of ${record.node} is being read.`);
    const decision = decide(record, parsed.value);
    return decision.kind === 'refuse' ? decision.failure : undefined;
  }

  /** What an update would be refused with before it enters the history. */
  refusalAtDoor(parsed: Parsed): Failure | undefined {
    return this.refusal(parsed) ?? (parsed.ok ? unknownStep(this.#standing.record, parsed.value) : undefined);
  }

  /** Whether the operation of a ticket is there to be awaited. */
  handedOut({ operationId }: Ticket): boolean {
    return !this.#standing.outbox.pending(operationId);
  }

  /** Why a ticket that was handed out is void. */
  voidTicket({ operationId }: Ticket): Failure | undefined {
    return this.#standing.refusedLate(operationId);
  }

  /** An update that `refusal` let in. */
  accept(request: VerbRequest): Ticket {
    const { verb, requestId } = request;
    const { site, node, operation } = this.#standing.record;
    this.#take(request, 'update');
    if (verb === 'maintenance' || verb === 'quarantine' || verb === 'unquarantine') {
      return { operationId: requestId, workflowId: nodeWorkflowId(site, node) };
    }
    const control = verb === 'resume' || verb === 'abort';
    const operationId = control ? (operation?.requestId ?? requestId) : requestId;
    return { operationId, workflowId: operationWorkflowId(site, node, operationId) };
  }

  /** A signal: its sender awaits the operation of its requestId, so a refusal becomes one that ends at once. */
  signal(verb: Verb, parsed: Parsed): void {
    const standing = this.#standing;
    if (!standing.ready) {
      this.#early.push(() => this.signal(verb, parsed));
      return;
    }
    const refusal = this.refusal(parsed);
    if (!refusal) {
      if (parsed.ok) this.#take(parsed.value, 'signal');
      return;
    }
    standing.refuse(verb, refusal);
    const requestId = parsed.ok ? parsed.value.requestId : parsed.requestId;
    const answerable = verb !== 'resume' && verb !== 'abort';
    const known = requestId === undefined || standing.record.recent.some((r) => r.requestId === requestId);
    if (answerable && requestId !== undefined && !known) {
      standing.answer(verb as OperationKind, requestId, refusal, parsed.ok ? parsed.value.fingerprint : '');
    }
  }

  /** A signal of a name that no verb has. */
  onUnknown(name: string): void {
    this.#standing.refuse(name.slice(0, 64), failure('INVALID_MESSAGE', 'There is no such verb.'));
  }

  /** News of the running operation; anything about another one is ignored. */
  onOperation(input: unknown): void {
    const event = parseOperationEvent(input);
    const wrong = failure('INVALID_MESSAGE', 'This is no event of an operation.');
    if (!event) this.#standing.refuse('operation', wrong);
    else if (this.#standing.ready) this.#onEvent(event);
    else this.#early.push(() => this.#onEvent(event));
  }

  /** What the site's watch saw of the node. */
  onObserved(input: unknown): void {
    const parsed = parseObserved(input);
    if (!parsed.ok) {
      const { field, message } = parsed.problem;
      this.#standing.refuse('observed', failure('INVALID_MESSAGE', `observed: ${field} ${message}.`));
    } else if (this.#standing.ready) this.#see(parsed.value);
    else this.#early.push(() => this.#see(parsed.value));
  }

  #see(seen: Observed): void {
    const { record, dirty } = this.#standing;
    const next = afterLook(record, seen, dirty);
    if (next) this.#standing.change(next);
  }

  /** What the second witness saw of the running operation. */
  onWatched(requestId: string, seen: WatchedOperation): void {
    const standing = this.#standing;
    const before = standing.record;
    if (before.operation?.requestId !== requestId) return;
    if (seen.status === 'ended') return this.#onEvent({ type: 'ended', requestId, end: seen.end });
    const { kind } = before.operation;
    standing.cleanUp(lost(before, standing.cleanupId()), before, true);
    // It may never have begun, if the entity ended between its record and its start.
    standing.answer(kind, requestId, standing.record.lastFailure!, '');
  }

  /** The record was read: what came before is heard now. */
  hearEarly(): void {
    for (const message of this.#early.splice(0)) message();
  }

  #take(request: VerbRequest, source: Source): void {
    const standing = this.#standing;
    const before = standing.record;
    const decision = decide(before, request);
    if (decision.kind === 'flag') standing.flag(request);
    if (decision.kind === 'control') standing.outbox.forward(before.operation!.requestId, request);
    if (decision.kind !== 'start') return;
    const { requestId, args, fingerprint } = request;
    standing.forgetLate(requestId);
    standing.change(started(before, request, decision));
    const input: OperationInput = {
      ...standing.input(request.verb as OperationKind, requestId, source),
      args,
      ...(request.onFailure ? { onFailure: request.onFailure } : {}),
      ...(request.deadlineSeconds ? { deadlineSeconds: request.deadlineSeconds } : {}),
    };
    standing.outbox.start({ input, fingerprint, before });
  }

  #onEvent(event: OperationEvent): void {
    const { record } = this.#standing;
    const { operation } = record;
    if (!operation || event.requestId !== operation.requestId) return;
    if (event.type === 'ended') {
      const now = new Date().toISOString();
      this.#standing.change(afterOperation(record, ended(record, event.end), event.end, now));
      return;
    }
    const { phase } = event;
    const now =
      event.type === 'held'
        ? { ...operation, held: true, failure: event.failure }
        : { ...operation, held: false, failure: null, step: event.step };
    this.#standing.change({ ...record, phase, operation: now });
  }
}

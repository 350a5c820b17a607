import { uuid4 } from '@temporalio/workflow';
import { legalVerbs } from '../core/decide.ts';
import type { RefusedMessage } from '../core/details.ts';
import { failure, type Failure } from '../core/errors/failure.ts';
import type { VerbRequest } from '../core/messages.ts';
import { CLEANUP_PREFIX } from '../core/names.ts';
import { healthOf, newNode, powerOf, snapshotOf, type NodeRecord } from '../core/node.ts';
import type { FlagState, OperationInput, Source } from '../core/operations.ts';
import type { OperationKind } from '../core/verbs.ts';
import type { NodeState } from './messages.ts';
import { NodeView } from './node-view.ts';
import { Outbox, type Unsent } from './outbox.ts';
import { Refresh } from './refresh.ts';

/** What the entity carries from one run to the next. */
export interface NodeMemory {
  readonly record: NodeRecord;
  readonly refused: readonly RefusedMessage[];
  readonly unsent: Unsent;
  /** Whether the record is still to be written, and which flags are new in it. */
  readonly dirty: boolean;
  readonly newFlags: Partial<FlagState>;
}

/** How many refused messages are shown. */
const REFUSED = 10;
/** How many late refusals are kept for the updates that wait for them. */
const LATE = 100;

/** How a node stands: its record, what of it is not written yet, what was refused, what is to be sent. */
export class NodeStanding {
  record: NodeRecord;
  /** Whether the record was read, so that it can be decided by it. */
  ready: boolean;
  /** Whether the record has changed since it was written. */
  dirty: boolean;
  /** Flags that are set and not yet written: they outlive a conflict. */
  newFlags: Partial<FlagState>;
  readonly outbox: Outbox;
  #refused: readonly RefusedMessage[];
  /** Refused only after they were accepted: the requestId had been used long ago. */
  readonly #late = new Map<string, Failure>();
  readonly #view = new NodeView();
  readonly #refresh = new Refresh(() => this.#view.show(this.record, this.#refused));

  constructor(site: string, node: string, memory?: NodeMemory) {
    this.record = memory?.record ?? newNode(site, node);
    this.ready = memory !== undefined;
    this.dirty = memory?.dirty ?? false;
    this.newFlags = memory?.newFlags ?? {};
    this.outbox = new Outbox(site, node, memory?.unsent);
    this.#refused = memory?.refused ?? [];
    this.#view.show(this.record, this.#refused);
  }

  state(): NodeState {
    const { record } = this;
    const known = { power: powerOf(record), health: healthOf(record) };
    return { ...record, ...known, legal: legalVerbs(record), refused: this.#refused };
  }

  /** What the next run goes on with; undefined if there is more to be sent than it could be told. */
  memory(): NodeMemory | undefined {
    const unsent = this.outbox.unsent();
    if (unsent === undefined) return undefined;
    const { record, dirty, newFlags } = this;
    return { record, refused: this.#refused, unsent, dirty, newFlags };
  }

  change(record: NodeRecord): void {
    this.record = record;
    this.dirty = true;
    this.#refresh.request();
  }

  /** Shows it anew: what is kept has not changed. */
  show(): void {
    this.#refresh.request();
  }

  publish(): void {
    this.#view.publish(this.record);
  }

  flag(request: VerbRequest): void {
    const on = request.verb === 'quarantine' || request.args['on'] === true;
    const name = request.verb === 'maintenance' ? 'maintenance' : 'quarantined';
    const flag = { [name]: on ? (request.reason ?? 'no reason given') : null };
    this.newFlags = { ...this.newFlags, ...flag };
    this.change({ ...this.record, flags: { ...this.record.flags, ...flag } });
  }

  refuse(verb: string, { code, message }: Failure): void {
    const at = new Date().toISOString();
    this.#refused = [...this.#refused, { at, verb, code, message: message.slice(0, 500) }].slice(-REFUSED);
    this.#refresh.request();
  }

  hasRefused(code: string): boolean {
    return this.#refused.some((refused) => refused.code === code);
  }

  /** Refuses what was accepted, once it turns out that its requestId stands for another request. */
  refuseLate({ kind, requestId }: OperationInput): void {
    const message = `requestId ${requestId} already stands for another request.`;
    const refusal = failure('REQUEST_ID_REUSED', message);
    if (this.#late.size >= LATE) this.#late.clear();
    this.#late.set(requestId, refusal);
    this.refuse(kind, refusal);
  }

  /** Why what was accepted will not run. */
  refusedLate(requestId: string): Failure | undefined {
    return this.#late.get(requestId);
  }

  /** A requestId is taken anew. */
  forgetLate(requestId: string): void {
    this.#late.delete(requestId);
  }

  input(kind: OperationKind, requestId: string, source: Source): OperationInput {
    const { site, node, generation, residue } = this.record;
    return {
      site,
      node,
      requestId,
      kind,
      args: {},
      source,
      snapshot: snapshotOf(this.record),
      generation: generation + 1,
      residue,
    };
  }

  /** Answers a requestId that gets no operation of its own with one that ends at once. */
  answer(kind: OperationKind, requestId: string, refusal: Failure, fingerprint: string): void {
    this.outbox.refuse({ input: { ...this.input(kind, requestId, 'signal'), refusal }, fingerprint });
  }

  /** Starts the clean-up of what is left, which is how the record has it. */
  cleanUp(record: NodeRecord, before: NodeRecord, wasLost: boolean): void {
    this.change(record);
    const { requestId, cleans } = record.operation!;
    const cleanup = { kind: cleans!, lost: wasLost };
    const input = { ...this.input('cleanup', requestId, 'internal'), onFailure: 'fail' as const, cleanup };
    this.outbox.start({ input, fingerprint: '', before });
  }

  /** Unique even where the record, and with it the generation, was lost. */
  cleanupId(): string {
    return `${CLEANUP_PREFIX}${this.record.generation + 1}-${uuid4().slice(0, 8)}`;
  }
}

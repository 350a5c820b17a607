import { allHandlersFinished, CancelledFailure, condition, uuid4, workflowInfo } from '@temporalio/workflow';
import { decide, legalVerbs, unknownStep } from '../core/decide.ts';
import type { RefusedMessage } from '../core/details.ts';
import { failure, type Failure } from '../core/errors/failure.ts';
import { parseOperationEvent } from '../core/events.ts';
import type { parseVerb, VerbRequest } from '../core/messages.ts';
import { CLEANUP_PREFIX, nodeWorkflowId, operationWorkflowId } from '../core/names.ts';
import { newNode, powerOf, snapshotOf, type NodeRecord } from '../core/node.ts';
import type { FlagState, OperationEvent, OperationInput, Source, Ticket } from '../core/operations.ts';
import type { WatchedOperation } from '../core/site-activities.ts';
import { cleaningUp, ended, lost, notStarted, started } from '../core/transitions.ts';
import type { OperationKind, Verb } from '../core/verbs.ts';
import { siteActivities } from './activities.ts';
import type { NodeState } from './messages.ts';
import { NodeView } from './node-view.ts';
import { OperationWatch } from './operation-watch.ts';
import { Refresh } from './refresh.ts';
import { Outbox, type Start, type Unsent } from './outbox.ts';

/** What the entity carries from one run to the next. */
export interface NodeMemory {
  readonly record: NodeRecord;
  readonly refused: readonly RefusedMessage[];
  readonly unsent: Unsent;
  /** Whether the record is still to be written, and which flags are new in it. */
  readonly dirty: boolean;
  readonly newFlags: Partial<FlagState>;
}

type Parsed = ReturnType<typeof parseVerb>;

/** How many refused messages are shown. */
const REFUSED = 10;
/** How many late refusals are kept for the updates that wait for them. */
const LATE = 100;
/** What an operation left behind is looked at again after this time. */
const RESIDUE_RETRY_MS = 15 * 60_000;
/** A node that the contract does not name is looked up again after this time. */
const UNKNOWN_RETRY_MS = 60_000;

export class NodeEntity {
  readonly #site: string;
  readonly #node: string;
  readonly #outbox: Outbox;
  readonly #watch: OperationWatch;
  readonly #view = new NodeView();
  readonly #refresh = new Refresh(() => this.#view.show(this.#record, this.#refused));
  #record: NodeRecord;
  #refused: readonly RefusedMessage[];
  #ready: boolean;
  #dirty = false;
  #ending = false;
  /** Signals that came before the record was read. */
  #early: (() => void)[] = [];
  /** Flags that are set and not yet written: they outlive a conflict. */
  #newFlags: Partial<FlagState> = {};
  /** Refused only after they were accepted: the requestId had been used long ago. */
  readonly #late = new Map<string, Failure>();
  #residueDue: number | null = null;
  /** Whether signals wait that were received and not heard. */
  unheard: () => boolean = () => false;

  constructor(site: string, node: string, memory?: NodeMemory) {
    this.#site = site;
    this.#node = node;
    this.#record = memory?.record ?? newNode(site, node);
    this.#refused = memory?.refused ?? [];
    this.#ready = memory !== undefined;
    this.#dirty = memory?.dirty ?? false;
    this.#newFlags = memory?.newFlags ?? {};
    this.#outbox = new Outbox(site, node, memory?.unsent);
    this.#watch = new OperationWatch(site, node, (requestId, seen) => this.#onWatched(requestId, seen));
    this.#view.show(this.#record, this.#refused);
  }

  state(): NodeState {
    const record = this.#record;
    return { ...record, power: powerOf(record), legal: legalVerbs(record), refused: this.#refused };
  }

  /** What an update would be refused with; undefined if it would be accepted. */
  refusal(parsed: Parsed): Failure | undefined {
    if (!parsed.ok) return parsed.failure;
    if (!this.#ready) return failure('NOT_READY', `The record of ${this.#node} is being read.`);
    const decision = decide(this.#record, parsed.value);
    return decision.kind === 'refuse' ? decision.failure : undefined;
  }

  /** What an update would be refused with before it enters the history. */
  refusalAtDoor(parsed: Parsed): Failure | undefined {
    return this.refusal(parsed) ?? (parsed.ok ? unknownStep(this.#record, parsed.value) : undefined);
  }

  /** Whether the operation of a ticket is there to be awaited. */
  handedOut({ operationId }: Ticket): boolean {
    return !this.#outbox.pending(operationId);
  }

  /** Why a ticket that was handed out is void. */
  voidTicket({ operationId }: Ticket): Failure | undefined {
    return this.#late.get(operationId);
  }

  /** An update that `refusal` let in. */
  accept(request: VerbRequest): Ticket {
    const { verb, requestId } = request;
    const running = this.#record.operation?.requestId;
    this.#take(request, 'update');
    if (verb === 'resume' || verb === 'abort') return this.#ticket(running ?? requestId);
    if (verb === 'maintenance' || verb === 'quarantine' || verb === 'unquarantine') {
      return { operationId: requestId, workflowId: nodeWorkflowId(this.#site, this.#node) };
    }
    return this.#ticket(requestId);
  }

  /** A signal: its sender awaits the operation of its requestId, so a refusal becomes one that ends at once. */
  signal(verb: Verb, parsed: Parsed): void {
    if (!this.#ready) {
      this.#early.push(() => this.signal(verb, parsed));
      return;
    }
    const refusal = this.refusal(parsed);
    if (!refusal) {
      if (parsed.ok) this.#take(parsed.value, 'signal');
      return;
    }
    this.#refuse(verb, refusal);
    const requestId = parsed.ok ? parsed.value.requestId : parsed.requestId;
    const answerable = verb !== 'resume' && verb !== 'abort';
    const known = requestId === undefined || this.#record.recent.some((r) => r.requestId === requestId);
    if (answerable && requestId !== undefined && !known) {
      this.#answer(verb as OperationKind, requestId, refusal, parsed.ok ? parsed.value.fingerprint : '');
    }
  }

  /** A signal of a name that no verb has. */
  onUnknown(name: string): void {
    this.#refuse(name.slice(0, 64), failure('INVALID_MESSAGE', 'There is no such verb.'));
  }

  /** News of the running operation; anything about another one is ignored. */
  onOperation(input: unknown): void {
    const event = parseOperationEvent(input);
    if (!event) this.#refuse('operation', failure('INVALID_MESSAGE', 'This is no event of an operation.'));
    else if (this.#ready) this.#onEvent(event);
    else this.#early.push(() => this.#onEvent(event));
  }

  /** The workflow was cancelled: the entity ends as soon as no operation needs it. */
  end(): void {
    this.#ending = true;
  }

  /** Lives until the history is long enough; returns what the next run needs. */
  async run(): Promise<NodeMemory> {
    if (!this.#ready) await this.#load();
    for (;;) {
      // Before it saves: under a steady flow of messages there is always something to save.
      if (this.#mayContinueAsNew()) return this.#memory();
      this.#view.publish(this.#record);
      if (this.#dirty) {
        await this.#save();
        continue;
      }
      const { starting } = this.#outbox;
      if (starting) {
        await this.#start(starting);
        continue;
      }
      this.#watch.follow(this.#record.operation?.requestId);
      if (await this.#outbox.sendMore()) continue;
      if (this.#mayEnd()) throw new CancelledFailure('The entity was cancelled.');
      await this.#pause();
    }
  }

  #take(request: VerbRequest, source: Source): void {
    const decision = decide(this.#record, request);
    if (decision.kind === 'flag') this.#flag(request);
    if (decision.kind === 'control') this.#outbox.forward(this.#record.operation!.requestId, request);
    if (decision.kind !== 'start') return;
    const before = this.#record;
    this.#late.delete(request.requestId);
    this.#change(started(before, request, decision));
    const { requestId, args, fingerprint } = request;
    const input: OperationInput = {
      ...this.#input(request.verb as OperationKind, requestId, source),
      args,
      ...(request.onFailure ? { onFailure: request.onFailure } : {}),
      ...(request.deadlineSeconds ? { deadlineSeconds: request.deadlineSeconds } : {}),
    };
    this.#outbox.start({ input, fingerprint, before });
  }

  #flag(request: VerbRequest): void {
    const on = request.verb === 'quarantine' || request.args['on'] === true;
    const name = request.verb === 'maintenance' ? 'maintenance' : 'quarantined';
    const flag = { [name]: on ? (request.reason ?? 'no reason given') : null };
    this.#newFlags = { ...this.#newFlags, ...flag };
    this.#change({ ...this.#record, flags: { ...this.#record.flags, ...flag } });
  }

  #input(kind: OperationKind, requestId: string, source: Source): OperationInput {
    return {
      site: this.#site,
      node: this.#node,
      requestId,
      kind,
      args: {},
      source,
      snapshot: snapshotOf(this.#record),
      generation: this.#record.generation + 1,
      residue: this.#record.residue,
    };
  }

  /** Answers a requestId that gets no operation of its own with one that ends at once. */
  #answer(kind: OperationKind, requestId: string, refusal: Failure, fingerprint: string): void {
    this.#outbox.refuse({ input: { ...this.#input(kind, requestId, 'signal'), refusal }, fingerprint });
  }

  #onEvent(event: OperationEvent): void {
    const { operation } = this.#record;
    if (!operation || event.requestId !== operation.requestId) return;
    if (event.type === 'ended') {
      this.#change(ended(this.#record, event.end));
      return;
    }
    const { phase } = event;
    const now =
      event.type === 'held'
        ? { ...operation, held: true, failure: event.failure }
        : { ...operation, held: false, failure: null, step: event.step };
    this.#change({ ...this.#record, phase, operation: now });
  }

  #onWatched(requestId: string, seen: WatchedOperation): void {
    const before = this.#record;
    if (before.operation?.requestId !== requestId) return;
    if (seen.status === 'ended') return this.#onEvent({ type: 'ended', requestId, end: seen.end });
    const { kind } = before.operation;
    this.#cleanUp(lost(before, this.#cleanupId()), before, true);
    // It may never have begun, if the entity ended between its record and its start.
    this.#answer(kind, requestId, this.#record.lastFailure!, '');
  }

  /** Starts the clean-up of what is left, which is how the record has it. */
  #cleanUp(record: NodeRecord, before: NodeRecord, wasLost: boolean): void {
    this.#change(record);
    const { requestId, cleans } = record.operation!;
    const cleanup = { kind: cleans!, lost: wasLost };
    const input = { ...this.#input('cleanup', requestId, 'internal'), onFailure: 'fail' as const, cleanup };
    this.#outbox.start({ input, fingerprint: '', before });
  }

  /** Unique even where the record, and with it the generation, was lost. */
  #cleanupId(): string {
    return `${CLEANUP_PREFIX}${this.#record.generation + 1}-${uuid4().slice(0, 8)}`;
  }

  async #load(): Promise<void> {
    const { record } = await this.#readContract();
    if (record) this.#record = { ...record, supports: this.#record.supports, retired: this.#record.retired };
    if (this.#record.operation) this.#outbox.ask(this.#record.operation.requestId);
    this.#ready = true;
    this.#refresh.request();
    for (const message of this.#early.splice(0)) message();
  }

  async #readContract(): Promise<{ record: NodeRecord | null }> {
    const { site, node } = this.#record;
    const { record, supports, retired, known } = await siteActivities(site).loadNode({ site, node });
    this.#record = { ...this.#record, supports, retired };
    if (!known && !this.#refused.some(({ code }) => code === 'NODE_UNKNOWN')) {
      this.#refuse('node', failure('NODE_UNKNOWN', `The contract of ${site} has no node ${node}.`));
    }
    return { record };
  }

  /** Writes the record; if someone wrote another one, that one is adopted. */
  async #save(): Promise<void> {
    this.#dirty = false;
    const record = { ...this.#record, generation: this.#record.generation + 1 };
    this.#record = record;
    this.#refresh.request();
    const flags = this.#newFlags;
    this.#newFlags = {};
    const saved = await siteActivities(this.#site).saveNode({ record });
    if (saved.written) return;
    this.#newFlags = { ...flags, ...this.#newFlags };
    const { stored } = saved;
    if (stored === null || stored.generation < record.generation - 1) {
      // The store has lost what was written: what the entity knows is newer.
      this.#change({ ...this.#record, generation: stored?.generation ?? 0 });
      return;
    }
    const conflict = failure(
      'GENERATION_CONFLICT',
      `The record of ${this.#node} is past generation ${record.generation}: the stored one is adopted.`,
    );
    const dropped = this.#outbox.dropStart();
    this.#change({ ...stored, flags: { ...stored.flags, ...this.#newFlags } });
    this.#dirty = Object.keys(this.#newFlags).length > 0;
    if (this.#record.operation) this.#outbox.ask(this.#record.operation.requestId);
    if (dropped) {
      const { kind, requestId } = dropped.input;
      this.#answer(kind, requestId, conflict, dropped.fingerprint);
    }
    this.#refuse('record', conflict);
  }

  /** Starts an operation whose record is written. */
  async #start(start: Start): Promise<void> {
    const { input, fingerprint, before } = start;
    if (!(await this.#outbox.send(start))) {
      // The requestId was used long ago, and is forgotten here: its operation answers.
      const { requestId } = input;
      const found = await siteActivities(this.#site).findOperation({
        site: this.#site,
        node: this.#node,
        requestId,
      });
      const same = found.fingerprint === fingerprint;
      const current = this.#record.operation?.requestId === requestId;
      if (current && !(same && found.status === 'running')) this.#change(notStarted(this.#record, before));
      if (!same) this.#refuseLate(input);
    }
    this.#outbox.dropStart();
  }

  #refuseLate({ kind, requestId }: OperationInput): void {
    const message = `requestId ${requestId} already stands for another request.`;
    const refusal = failure('REQUEST_ID_REUSED', message);
    if (this.#late.size >= LATE) this.#late.clear();
    this.#late.set(requestId, refusal);
    this.#refuse(kind, refusal);
  }

  /** Waits until there is something to do; looks again by itself at what was left behind or unknown. */
  async #pause(): Promise<void> {
    const { residue, operation, supports } = this.#record;
    const left = residue.length > 0 && operation === null;
    this.#residueDue = left ? (this.#residueDue ?? Date.now() + RESIDUE_RETRY_MS) : null;
    const woken = () => this.#dirty || this.#outbox.waiting() || this.#mayContinueAsNew() || this.#mayEnd();
    if (this.#residueDue !== null) {
      const rest = Math.max(1, this.#residueDue - Date.now());
      if (await condition(woken, rest, { summary: `Look again at ${residue.join(', ')}` })) return;
      this.#residueDue = null;
      const before = this.#record;
      if (before.operation !== null || before.residue.length === 0) return;
      const last = before.recent.findLast(({ kind }) => kind !== 'cleanup')?.kind ?? 'decommission';
      this.#cleanUp(cleaningUp(before, last, this.#cleanupId()), before, false);
    } else if (supports.length === 0) {
      const look = { summary: 'Look for the node in the contract again' };
      if (!(await condition(woken, UNKNOWN_RETRY_MS, look))) await this.#readContract();
    } else {
      await condition(woken);
    }
  }

  #mayContinueAsNew(): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    const ready = this.#outbox.unsent() !== undefined && !this.unheard();
    return continueAsNewSuggested && ready && allHandlersFinished();
  }

  #mayEnd(): boolean {
    const { operation } = this.#record;
    const idle = operation === null && !this.#dirty && !this.#outbox.waiting() && !this.unheard();
    return this.#ending && idle && allHandlersFinished();
  }

  /** What the next run goes on with; the second witness begins anew there. */
  #memory(): NodeMemory {
    this.#watch.follow(undefined);
    const unsent = this.#outbox.unsent()!;
    return {
      record: this.#record,
      refused: this.#refused,
      unsent,
      dirty: this.#dirty,
      newFlags: this.#newFlags,
    };
  }

  #change(record: NodeRecord): void {
    this.#record = record;
    this.#dirty = true;
    this.#refresh.request();
  }

  #refuse(verb: string, { code, message }: Failure): void {
    const at = new Date().toISOString();
    this.#refused = [...this.#refused, { at, verb, code, message: message.slice(0, 500) }].slice(-REFUSED);
    this.#refresh.request();
  }

  #ticket(requestId: string): Ticket {
    return { operationId: requestId, workflowId: operationWorkflowId(this.#site, this.#node, requestId) };
  }
}

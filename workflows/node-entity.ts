import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { decide, legalVerbs } from '../core/decide.ts';
import { nodeDetails, type RefusedMessage } from '../core/details.ts';
import { failure, type Failure } from '../core/errors/failure.ts';
import type { parseVerb, VerbRequest } from '../core/messages.ts';
import { nodeWorkflowId, operationWorkflowId } from '../core/names.ts';
import { flagsOf, newNode, snapshotOf, type NodeRecord } from '../core/node.ts';
import type { OperationEvent, OperationInput, Source, Ticket } from '../core/operations.ts';
import { cleaningUp, ended, lost, started } from '../core/transitions.ts';
import type { Verb } from '../core/verbs.ts';
import { siteActivities } from './activities.ts';
import { isCancelled, isReported } from './failures.ts';
import type { NodeState } from './messages.ts';
import { Outbox } from './outbox.ts';
import { attribute } from './search-attributes.ts';

/** What the entity carries from one run to the next. */
export interface NodeMemory {
  readonly record: NodeRecord;
  readonly refused: readonly RefusedMessage[];
}

type Parsed = ReturnType<typeof parseVerb>;

/** How many refused messages are shown. */
const REFUSED = 10;
/** What an operation left behind is looked at again after this time. */
const RESIDUE_RETRY = '15m';

export class NodeEntity {
  readonly #site: string;
  readonly #node: string;
  readonly #outbox: Outbox;
  #record: NodeRecord;
  #refused: readonly RefusedMessage[];
  #ready: boolean;
  #dirty = false;
  /** Signals that came before the record was read. */
  #early: { verb: Verb; parsed: Parsed }[] = [];
  #earlyEvents: OperationEvent[] = [];
  #watched: { requestId: string; scope: CancellationScope } | null = null;
  #shown = '';

  constructor(site: string, node: string, memory?: NodeMemory) {
    this.#site = site;
    this.#node = node;
    this.#record = memory?.record ?? newNode(site, node);
    this.#refused = memory?.refused ?? [];
    this.#ready = memory !== undefined;
    this.#outbox = new Outbox(site, node);
  }

  state(): NodeState {
    return { ...this.#record, legal: legalVerbs(this.#record), refused: this.#refused };
  }

  /** What an update would be refused with; undefined if it would be accepted. */
  refusal(parsed: Parsed): Failure | undefined {
    if (!parsed.ok) return parsed.failure;
    if (!this.#ready) return failure('NOT_READY', `The record of ${this.#node} is being read.`);
    const decision = decide(this.#record, parsed.value);
    return decision.kind === 'refuse' ? decision.failure : undefined;
  }

  /** Whether the operation of a ticket is there to be awaited. */
  handedOut({ operationId }: Ticket): boolean {
    return !this.#outbox.pending(operationId);
  }

  /** An update that its validator let in. */
  accept(parsed: Parsed): Ticket {
    if (parsed.ok) this.#take(parsed.value, 'update');
    const requestId = parsed.ok ? parsed.value.requestId : 'refused';
    const verb = parsed.ok ? parsed.value.verb : 'abort';
    if (verb === 'resume' || verb === 'abort')
      return this.#ticket(this.#record.operation?.requestId ?? requestId);
    if (verb === 'maintenance' || verb === 'quarantine' || verb === 'unquarantine') {
      return { operationId: requestId, workflowId: nodeWorkflowId(this.#site, this.#node) };
    }
    return this.#ticket(requestId);
  }

  /** A signal: its sender awaits the operation of its requestId, so a refusal becomes one that ends at once. */
  signal(verb: Verb, parsed: Parsed): void {
    if (!this.#ready) {
      if (this.#early.length < 1000) this.#early.push({ verb, parsed });
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
    if (answerable && requestId !== undefined && !known)
      this.#outbox.refuse(this.#refusedInput(verb, requestId, refusal));
  }

  /** News of the running operation; anything about another one is ignored. */
  onOperation(event: OperationEvent): void {
    if (!this.#ready) {
      this.#earlyEvents.push(event);
      return;
    }
    const { operation } = this.#record;
    if (!operation || event?.requestId !== operation.requestId) return;
    if (event.type === 'ended') {
      this.#change(ended(this.#record, event.end));
    } else if (event.type === 'held') {
      this.#change({
        ...this.#record,
        phase: event.phase,
        operation: { ...operation, held: true, failure: event.failure },
      });
    } else {
      this.#change({
        ...this.#record,
        phase: event.phase,
        operation: { ...operation, held: false, failure: null, step: event.step },
      });
    }
  }

  /** Lives until the history is long enough; returns what the next run needs. */
  async run(): Promise<NodeMemory> {
    if (!this.#ready) await this.#load();
    for (;;) {
      this.#show();
      if (this.#dirty) {
        await this.#save();
        continue;
      }
      if (await this.#send()) continue;
      this.#watch();
      if (this.#quiet() && workflowInfo().continueAsNewSuggested) {
        this.#watched?.scope.cancel();
        return { record: this.#record, refused: this.#refused };
      }
      const left = this.#record.residue.length > 0 && !this.#record.operation;
      const woken = () => this.#dirty || this.#outbox.waiting() || this.#mayContinueAsNew();
      if (!left) await condition(woken);
      else if (!(await condition(woken, RESIDUE_RETRY))) this.#cleanUp();
    }
  }

  #take(request: VerbRequest, source: Source): void {
    const decision = decide(this.#record, request);
    if (decision.kind === 'flag') return this.#flag(request);
    if (decision.kind === 'control') {
      this.#outbox.forward(this.#record.operation!.requestId, request);
      return;
    }
    if (decision.kind !== 'start') return;
    const before = this.#record;
    this.#change(started(before, request, decision));
    this.#outbox.start(this.#inputOf(request, source), before);
  }

  #flag(request: VerbRequest): void {
    const { flags } = this.#record;
    const reason = request.reason ?? 'no reason given';
    const on = request.verb === 'quarantine' || request.args['on'] === true;
    const name = request.verb === 'maintenance' ? 'maintenance' : 'quarantined';
    this.#change({ ...this.#record, flags: { ...flags, [name]: on ? reason : null } });
  }

  #inputOf(request: VerbRequest, source: Source): OperationInput {
    return {
      site: this.#site,
      node: this.#node,
      requestId: request.requestId,
      kind: request.verb as OperationInput['kind'],
      args: request.args,
      source,
      snapshot: snapshotOf(this.#record),
      generation: this.#record.generation + 1,
      ...(request.onFailure ? { onFailure: request.onFailure } : {}),
      ...(request.deadlineSeconds ? { deadlineSeconds: request.deadlineSeconds } : {}),
    };
  }

  #refusedInput(verb: Verb, requestId: string, refusal: Failure): OperationInput {
    const request = { verb, requestId, args: {}, fingerprint: '' };
    return { ...this.#inputOf(request, 'signal'), refusal };
  }

  /** Starts the clean-up of what is left; also the way out of an operation that was lost. */
  #cleanUp(): void {
    const { operation, residue } = this.#record;
    const before = this.#record;
    const last = before.recent.at(-1)?.kind ?? 'decommission';
    this.#change(operation ? lost(before) : cleaningUp(before, last));
    const { requestId, cleans } = this.#record.operation!;
    const request = { verb: 'abort' as const, requestId, args: {}, fingerprint: '' };
    this.#outbox.start(
      {
        ...this.#inputOf(request, 'internal'),
        kind: 'cleanup',
        onFailure: 'fail',
        cleanup: { kind: cleans ?? last, residue: operation ? null : residue },
      },
      before,
    );
  }

  async #load(): Promise<void> {
    const { record, supports, retired, known } = await siteActivities(this.#site).loadNode({
      site: this.#site,
      node: this.#node,
    });
    this.#record = { ...(record ?? this.#record), supports, retired };
    this.#ready = true;
    if (!known)
      this.#refuse(
        'node',
        failure('NODE_UNKNOWN', `The contract of ${this.#site} has no node ${this.#node}.`),
      );
    for (const event of this.#earlyEvents.splice(0)) this.onOperation(event);
    for (const { verb, parsed } of this.#early.splice(0)) this.signal(verb, parsed);
  }

  /** Writes the record; if someone wrote a later one, that one is adopted. */
  async #save(): Promise<void> {
    this.#dirty = false;
    const record = { ...this.#record, generation: this.#record.generation + 1 };
    this.#record = record;
    const saved = await siteActivities(this.#site).saveNode({ record });
    if (saved.written) return;
    for (const input of this.#outbox.dropStarts()) {
      this.#outbox.refuse({ ...input, refusal: conflict(record) });
    }
    this.#record = saved.stored;
    this.#refuse('record', conflict(record));
  }

  /** Sends what waits to be sent; true if something was. */
  async #send(): Promise<boolean> {
    const sent = await this.#outbox.sendOne();
    if (sent?.kind === 'duplicate') {
      // The requestId was used long ago: its operation answers, and the node is as it was before.
      const { generation } = this.#record;
      this.#change({ ...sent.before, generation });
    }
    return sent !== undefined;
  }

  /** Keeps a second witness on the running operation: it notices an end that was never told. */
  #watch(): void {
    const requestId = this.#record.operation?.requestId;
    if (requestId === this.#watched?.requestId) return;
    this.#watched?.scope.cancel();
    this.#watched = null;
    if (requestId === undefined) return;
    const scope = new CancellationScope();
    this.#watched = { requestId, scope };
    void scope
      .run(() => this.#witness(requestId))
      .catch((error: unknown) => {
        if (!isCancelled(error) && !isReported(error)) throw error;
      });
  }

  async #witness(requestId: string): Promise<void> {
    const seen = await siteActivities(this.#site).watchOperation({
      site: this.#site,
      node: this.#node,
      requestId,
    });
    if (this.#record.operation?.requestId !== requestId) return;
    if (seen.status === 'ended') this.onOperation({ type: 'ended', requestId, end: seen.end });
    else this.#cleanUp();
  }

  #quiet(): boolean {
    return !this.#dirty && !this.#outbox.waiting() && allHandlersFinished();
  }

  #mayContinueAsNew(): boolean {
    return workflowInfo().continueAsNewSuggested && this.#quiet();
  }

  #change(record: NodeRecord): void {
    this.#record = record;
    this.#dirty = true;
  }

  #refuse(verb: string, { code, message }: Failure): void {
    const at = new Date().toISOString();
    this.#refused = [...this.#refused, { at, verb, code, message: message.slice(0, 500) }].slice(-REFUSED);
    this.#show();
  }

  #ticket(requestId: string): Ticket {
    return { operationId: requestId, workflowId: operationWorkflowId(this.#site, this.#node, requestId) };
  }

  /** Brings details, search attributes and memo up to date. */
  #show(): void {
    const { phase, owner, image, operation, power, health, lastFailure } = this.#record;
    const details = nodeDetails(this.#record, this.#refused);
    if (details === this.#shown) return;
    this.#shown = details;
    const flags = flagsOf(this.#record);
    const domain = operation?.failure?.faultDomain ?? lastFailure?.faultDomain ?? null;
    setCurrentDetails(details);
    upsertSearchAttributes([
      attribute('RackwrightSite', this.#site),
      attribute('RackwrightNode', this.#node),
      attribute('RackwrightPhase', phase),
      attribute('RackwrightOperation', operation?.requestId ?? null),
      attribute('RackwrightFaultDomain', domain),
      attribute('RackwrightTenant', owner),
      attribute('RackwrightFlags', flags),
    ]);
    upsertMemo({
      phase,
      owner,
      image,
      power,
      health,
      flags,
      operation: operation?.requestId ?? null,
      kind: operation?.kind ?? null,
    });
  }
}

const conflict = (record: NodeRecord): Failure =>
  failure(
    'GENERATION_CONFLICT',
    `The record of ${record.node} is past generation ${record.generation}: the stored one is adopted.`,
  );

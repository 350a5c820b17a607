import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { JsonObject } from '../core/json.ts';
import type { VerbRequest } from '../core/messages.ts';
import { operationWorkflowId, WORKFLOW_QUEUE } from '../core/names.ts';
import type { NodeRecord } from '../core/node.ts';
import type { OperationInput } from '../core/operations.ts';
import { isReported } from './failures.ts';
import { announceSignal, verbSignal } from './messages.ts';
import type { operation } from './operation.ts';
import { attribute } from './search-attributes.ts';

/** An operation to be started: its input, which request it stands for, and the node before it. */
export interface Start {
  readonly input: OperationInput;
  readonly fingerprint: string;
  readonly before: NodeRecord;
}

/** A refused request: its operation says so and ends at once. */
export type Refusal = Omit<Start, 'before'>;

/** A message to a running operation; `announce` asks it to tell again where it stands. */
interface Forward {
  readonly requestId: string;
  readonly verb: 'resume' | 'abort' | 'announce';
  readonly message: JsonObject;
}

/** What is not sent yet and can be sent by the entity's next run. */
export interface Unsent {
  readonly refusals: readonly Refusal[];
  readonly forwards: readonly Forward[];
}

/** How many refusals are answered at once. */
const BATCH = 50;
/** How much a run hands over to the next: it has to fit in one payload. */
const HANDED_OVER = 200;

/** What the entity's handlers want sent, in order: handlers never await, the main loop does. */
export class Outbox {
  readonly #site: string;
  readonly #node: string;
  #start: Start | null;
  #refusals: Refusal[];
  #forwards: Forward[];
  #sending: readonly string[] = [];

  constructor(site: string, node: string, unsent?: Unsent) {
    this.#site = site;
    this.#node = node;
    this.#start = null;
    this.#refusals = [...(unsent?.refusals ?? [])];
    this.#forwards = [...(unsent?.forwards ?? [])];
  }

  /** There is at most one: the node is busy with it from the moment that it was accepted. */
  start(start: Start): void {
    this.#start = start;
  }

  get starting(): Start | null {
    return this.#start;
  }

  /** The start is done, or will not be. */
  dropStart(): Start | null {
    const dropped = this.#start;
    this.#start = null;
    return dropped;
  }

  refuse(refusal: Refusal): void {
    this.#refusals.push(refusal);
  }

  /** Passes `resume` or `abort` on to the operation. */
  forward(requestId: string, { verb, args, reason }: VerbRequest): void {
    const message = { ...args, ...(reason === undefined ? {} : { reason }) };
    this.#forwards.push({ requestId, verb: verb as 'resume' | 'abort', message });
  }

  /** Asks an operation that ran while the entity did not to tell where it stands. */
  ask(requestId: string): void {
    this.#forwards.push({ requestId, verb: 'announce', message: {} });
  }

  /** Whether the operation of a request is still to be started. */
  pending(requestId: string): boolean {
    const queued = this.#refusals.some(({ input }) => input.requestId === requestId);
    return queued || this.#start?.input.requestId === requestId || this.#sending.includes(requestId);
  }

  waiting(): boolean {
    return this.#start !== null || this.#refusals.length + this.#forwards.length > 0;
  }

  /** What a next run would send; undefined if that is too much, or a start is among it. */
  unsent(): Unsent | undefined {
    if (this.#start !== null || this.#refusals.length + this.#forwards.length > HANDED_OVER) return undefined;
    return { refusals: this.#refusals, forwards: this.#forwards };
  }

  /** Starts the operation. False if its requestId was used before. The start stays pending until dropped. */
  send({ input, fingerprint }: Start): Promise<boolean> {
    return this.#startChild(input, fingerprint);
  }

  /** Sends a batch of what else waits; false if nothing does. */
  async sendMore(): Promise<boolean> {
    const refusals = this.#refusals.splice(0, BATCH);
    this.#sending = refusals.map(({ input }) => input.requestId);
    await Promise.all(refusals.map(({ input, fingerprint }) => this.#startChild(input, fingerprint)));
    this.#sending = [];
    const forwards = this.#forwards.splice(0, BATCH);
    for (const forward of forwards) await this.#pass(forward);
    return refusals.length + forwards.length > 0;
  }

  /** True if it started, false if the requestId already has its operation. */
  async #startChild(input: OperationInput, fingerprint: string): Promise<boolean> {
    const { kind, requestId, refusal, source } = input;
    try {
      await startChild<typeof operation>('operation', {
        args: [input],
        workflowId: operationWorkflowId(this.#site, this.#node, requestId),
        taskQueue: WORKFLOW_QUEUE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        staticSummary: refusal ? `${kind} of ${this.#node}: refused` : `${kind} of ${this.#node}`,
        memo: { kind, source, fingerprint },
        typedSearchAttributes: [
          attribute('RackwrightSite', this.#site),
          attribute('RackwrightNode', this.#node),
          attribute('RackwrightOperation', requestId),
        ] as never,
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  async #pass({ requestId, verb, message }: Forward): Promise<void> {
    const handle = getExternalWorkflowHandle(operationWorkflowId(this.#site, this.#node, requestId));
    try {
      if (verb === 'announce') await handle.signal(announceSignal);
      else await handle.signal(verbSignal(verb), message);
    } catch (error) {
      // The operation ended meanwhile: there is nothing left to resume or abort.
      if (!isReported(error)) throw error;
    }
  }
}

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
import { verbSignal } from './messages.ts';
import type { operation } from './operation.ts';
import { attribute } from './search-attributes.ts';

/** How many refused requests wait to be answered; the sender of one more gets no operation. */
const REFUSALS = 200;

type Sent = { readonly kind: 'sent' } | { readonly kind: 'duplicate'; readonly before: NodeRecord };

/** What the entity's handlers want sent, in order: handlers never await, the main loop does. */
export class Outbox {
  readonly #site: string;
  readonly #node: string;
  #starts: { input: OperationInput; before: NodeRecord }[] = [];
  readonly #refusals: OperationInput[] = [];
  readonly #forwards: { requestId: string; request: VerbRequest }[] = [];
  #sending: string | null = null;

  constructor(site: string, node: string) {
    this.#site = site;
    this.#node = node;
  }

  start(input: OperationInput, before: NodeRecord): void {
    this.#starts.push({ input, before });
  }

  refuse(input: OperationInput): void {
    if (this.#refusals.length < REFUSALS) this.#refusals.push(input);
  }

  /** Passes `resume` or `abort` on to the operation. */
  forward(requestId: string, request: VerbRequest): void {
    this.#forwards.push({ requestId, request });
  }

  /** Whether the operation of a request is still to be started. */
  pending(requestId: string): boolean {
    const queued = [...this.#starts.map(({ input }) => input), ...this.#refusals];
    return this.#sending === requestId || queued.some((input) => input.requestId === requestId);
  }

  waiting(): boolean {
    return this.#starts.length + this.#refusals.length + this.#forwards.length > 0;
  }

  dropStarts(): OperationInput[] {
    const dropped = this.#starts.map(({ input }) => input);
    this.#starts = [];
    return dropped;
  }

  /** Sends the next thing; undefined if there is none. */
  async sendOne(): Promise<Sent | undefined> {
    const start = this.#starts.shift();
    if (start) {
      return (await this.#startChild(start.input))
        ? { kind: 'sent' }
        : { kind: 'duplicate', before: start.before };
    }
    const refusal = this.#refusals.shift();
    if (refusal) {
      await this.#startChild(refusal);
      return { kind: 'sent' };
    }
    const forward = this.#forwards.shift();
    if (!forward) return undefined;
    await this.#pass(forward.requestId, forward.request);
    return { kind: 'sent' };
  }

  /** True if it started, false if the requestId already has its operation. */
  async #startChild(input: OperationInput): Promise<boolean> {
    const { kind, requestId, refusal } = input;
    this.#sending = requestId;
    try {
      await startChild<typeof operation>('operation', {
        args: [input],
        workflowId: operationWorkflowId(this.#site, this.#node, requestId),
        taskQueue: WORKFLOW_QUEUE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        staticSummary: refusal ? `${kind} of ${this.#node}: refused` : `${kind} of ${this.#node}`,
        memo: { kind, source: input.source },
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
    } finally {
      this.#sending = null;
    }
  }

  async #pass(requestId: string, { verb, args, reason }: VerbRequest): Promise<void> {
    const message: JsonObject = { ...args, ...(reason === undefined ? {} : { reason }) };
    try {
      const id = operationWorkflowId(this.#site, this.#node, requestId);
      await getExternalWorkflowHandle(id).signal(verbSignal(verb), message);
    } catch (error) {
      // The operation ended meanwhile: there is nothing left to resume or abort.
      if (!isReported(error)) throw error;
    }
  }
}

import { CancellationScope, inWorkflowContext } from '@temporalio/workflow';
import type { WatchedOperation } from '../core/site-activities.ts';
import { siteActivities } from './activities.ts';
import { isCancelled, isReported } from './failures.ts';

/** A second witness on the running operation: it notices an end that was never told. */
export class OperationWatch {
  readonly #site: string;
  readonly #node: string;
  readonly #seen: (requestId: string, what: WatchedOperation) => void;
  #current: { readonly requestId: string; readonly scope: CancellationScope } | null = null;

  constructor(site: string, node: string, seen: (requestId: string, what: WatchedOperation) => void) {
    this.#site = site;
    this.#node = node;
    this.#seen = seen;
  }

  /** Watches this operation and no other; undefined: none. */
  follow(requestId: string | undefined): void {
    if (requestId === this.#current?.requestId) return;
    this.#current?.scope.cancel();
    this.#current = null;
    if (requestId === undefined) return;
    const scope = new CancellationScope();
    this.#current = { requestId, scope };
    void scope
      .run(() => this.#watch(requestId))
      .catch((error: unknown) => {
        // Outside of it, once the worker has dropped the workflow, nobody would catch what is thrown.
        if (inWorkflowContext() && !isCancelled(error) && !isReported(error)) throw error;
      });
  }

  async #watch(requestId: string): Promise<void> {
    const name = { site: this.#site, node: this.#node, requestId };
    const what = await siteActivities(this.#site).watchOperation(name);
    if (this.#current?.requestId !== requestId) return;
    this.#current = null;
    this.#seen(requestId, what);
  }
}

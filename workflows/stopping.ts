import { CancellationScope } from '@temporalio/workflow';
import type { Failure } from '../core/errors/failure.ts';

/** What stops an operation: an abort, or its deadline. The first one counts. */
export class Stopping {
  why: Failure | null = null;
  #cancel: () => void = () => undefined;

  stop(why: Failure): void {
    this.why ??= why;
    this.#cancel();
  }

  /** Runs something that a stop cancels. */
  async scope<T>(what: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope();
    this.#cancel = () => scope.cancel();
    if (this.why) scope.cancel();
    try {
      return await scope.run(what);
    } finally {
      this.#cancel = () => undefined;
    }
  }
}

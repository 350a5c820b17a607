import { CancellationScope, inWorkflowContext, patched, sleep } from '@temporalio/workflow';

/** How many signals are worked off in one workflow task. */
const AT_ONCE = 100;

/** The doors that signals come in by. What stands before closed doors waits in its order with the SDK. */
export interface Doors {
  /** Opens one door for whatever waits, in its order; the intake may close it meanwhile. */
  drain(): void;
  /** Opens the door of each name. */
  open(): void;
  close(): void;
}

/**
 * A burst of signals comes in one workflow task, and each costs the SDK some milliseconds on a busy machine: a
 * workflow task of thousands would run out of time, and so would its repetition. So many are let in, and the
 * rest in the next workflow tasks, each of which is kept when it is done.
 */
export class Intake {
  readonly #doors: Doors;
  #letIn = 0;
  #closed = false;

  constructor(doors: Doors) {
    this.#doors = doors;
  }

  /** Whether signals wait that the workflow has received: they would be lost if it ended now. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Counts a signal that came in. */
  count(): void {
    // All signals of a workflow task come before the next microtask.
    if (this.#letIn++ === 0) void Promise.resolve().then(() => (this.#letIn = 0));
    if (this.#letIn < AT_ONCE || this.#closed || !patched('intake')) return;
    this.#closed = true;
    this.#doors.close();
    void CancellationScope.nonCancellable(async () => {
      await sleep(1, { summary: 'Hear the signals that came in one burst' });
      if (!inWorkflowContext()) return;
      this.#closed = false;
      this.#letIn = 0;
      this.#doors.drain();
      if (!this.closed) this.#doors.open();
    });
  }
}

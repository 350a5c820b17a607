import { CancellationScope, condition, inWorkflowContext } from '@temporalio/workflow';

/**
 * Shows something anew once per workflow task, however many messages came with it: a burst of thousands
 * must not cost a rendering each. Leaves no event in the history.
 */
export class Refresh {
  #due = false;

  constructor(show: () => void) {
    void CancellationScope.nonCancellable(async () => {
      for (;;) {
        await condition(() => this.#due);
        this.#due = false;
        // What is due when the worker drops the workflow from its cache runs outside of it.
        if (inWorkflowContext()) show();
      }
    });
  }

  request(): void {
    this.#due = true;
  }
}

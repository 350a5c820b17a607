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
        // What was left undone when the worker drops the workflow from its cache runs outside of any: nobody is
        // there to catch what is thrown, and the worker would end of it.
        if (!inWorkflowContext()) return;
        this.#due = false;
        show();
      }
    });
  }

  request(): void {
    this.#due = true;
  }
}

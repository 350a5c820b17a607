import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { nodeWorkflowId } from '../core/names.ts';
import type { OperationEvent, OperationInput } from '../core/operations.ts';
import { isReported } from './failures.ts';
import { operationEvent } from './messages.ts';

/** The way from an operation to its node. An entity that is not running finds out when it starts. */
export class NodeLink {
  readonly #id: string;

  constructor(input: Pick<OperationInput, 'site' | 'node'>) {
    this.#id = nodeWorkflowId(input.site, input.node);
  }

  async tell(event: OperationEvent): Promise<void> {
    try {
      await getExternalWorkflowHandle(this.#id).signal(operationEvent, event);
    } catch (error) {
      if (!isReported(error)) throw error;
    }
  }
}

import type { Client } from '@temporalio/client';
import { askNode } from '../../activities/temporal/request.ts';
import type { JsonObject } from '../../core/json.ts';
import { nodeWorkflowId, operationWorkflowId } from '../../core/names.ts';
import type { NodeRecord } from '../../core/node.ts';
import type { OperationReport, Ticket } from '../../core/operations.ts';
import type { Verb } from '../../core/verbs.ts';
import { asRackwrightError, failureIn } from '../../activities/temporal/client-errors.ts';
import { newId } from './ids.ts';
import { follow, type FollowOptions } from './follow.ts';
import { queried } from './query.ts';
import {
  listNodes,
  listOperations,
  type NodeRow,
  type OperationFilter,
  type OperationRow,
} from './visibility.ts';

const REQUEST_MS = 60_000;
const NOT_READY_MS = 500;

/**
 * A site's nodes and operations, for programs.
 *
 * @example
 * const { client, close } = await connect(temporalSettings());
 * const site = new Rackwright(client, 'berlin');
 * const ticket = await site.request('gpu-01', 'deploy', { image: 'ubuntu-24.04', owner: 'team-a' });
 * const report = await site.result(ticket.workflowId);
 */
export class Rackwright {
  readonly client: Client;
  readonly site: string;

  constructor(client: Client, site: string) {
    this.client = client;
    this.site = site;
  }

  /**
   * Asks a node for a verb and starts its workflow if there is none. Repeat it with the same `requestId`
   * when its answer was lost. Throws the refusal (BUSY, ILLEGAL_VERB, …), or NOT_READY without a worker.
   */
  async request(node: string, verb: Verb, given: JsonObject): Promise<Ticket> {
    const message: JsonObject = { requestId: newId(), ...given };
    const deadline = Date.now() + REQUEST_MS;
    for (;;) {
      try {
        return await askNode(this.client, { site: this.site, node }, verb, message, deadline);
      } catch (error) {
        const loading = failureIn(error)?.code === 'NOT_READY' && Date.now() + NOT_READY_MS < deadline;
        if (!loading) throw asRackwrightError(error, `node ${node} of site ${this.site}`);
        await new Promise((resolve) => setTimeout(resolve, NOT_READY_MS));
      }
    }
  }

  /** Sends `resume` or `abort` to an operation. */
  async control(workflowId: string, verb: 'resume' | 'abort', message: JsonObject): Promise<void> {
    try {
      await this.client.connection.withDeadline(Date.now() + REQUEST_MS, () =>
        this.client.workflow.getHandle(workflowId).executeUpdate<unknown, [JsonObject]>(verb, {
          args: [message],
        }),
      );
    } catch (error) {
      throw asRackwrightError(error, `running operation ${workflowId}`);
    }
  }

  /** What a node's workflow knows; undefined if it has none. */
  async state(node: string): Promise<NodeRecord | undefined> {
    return queried<NodeRecord>(this.client, nodeWorkflowId(this.site, node), 'state');
  }

  /** The report of an operation that runs or is over. Throws OPERATION_UNKNOWN. */
  async report(workflowId: string): Promise<OperationReport> {
    const handle = this.client.workflow.getHandle(workflowId);
    try {
      const { status } = await handle.describe();
      if (status.name !== 'RUNNING') return (await handle.result()) as OperationReport;
    } catch (error) {
      throw asRackwrightError(error, `operation ${workflowId}`);
    }
    const report = await queried<OperationReport>(this.client, workflowId, 'progress');
    if (report === undefined) return (await this.result(workflowId)) as OperationReport;
    return report;
  }

  /** Waits for the end of an operation, however long it takes. */
  async result(workflowId: string): Promise<OperationReport> {
    try {
      return (await this.client.workflow.getHandle(workflowId).result()) as OperationReport;
    } catch (error) {
      throw asRackwrightError(error, `operation ${workflowId}`);
    }
  }

  /** Waits until an operation is over or held, and tells of every change on the way. */
  follow(workflowId: string, options: FollowOptions<OperationReport> = {}): Promise<OperationReport> {
    return follow(this.client, workflowId, 'progress', options);
  }

  nodes(): Promise<NodeRow[]> {
    return listNodes(this.client, this.site);
  }

  operations(filter: OperationFilter = {}): Promise<OperationRow[]> {
    return listOperations(this.client, this.site, filter);
  }

  operationId(node: string, requestId: string): string {
    return operationWorkflowId(this.site, node, requestId);
  }
}

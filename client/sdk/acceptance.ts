import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import type { AcceptanceInput, AcceptanceReport, RunTicket } from '../../core/acceptance/report.ts';
import { fail } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { acceptanceWorkflowId, parseAcceptanceWorkflowId, WORKFLOW_QUEUE } from '../../core/names.ts';
import { asRackwrightError } from '../../activities/temporal/client-errors.ts';
import { follow, type FollowOptions } from './follow.ts';
import { newId } from './ids.ts';
import { queried } from './query.ts';
import { keyword, keywords, list, quote } from './visibility.ts';

const REQUEST_MS = 60_000;
const NEW_RUN = 'Start a new one: `rackwright acceptance run`.';
/** What the workflow of a run ends with that nobody gave a verdict. */
const ENDED = [CancelledFailure, TerminatedFailure, TimeoutFailure];

/** A run as lists show it. */
export interface RunRow {
  readonly runId: string;
  readonly workflowId: string;
  /** The gate that it is at, or stopped at. */
  readonly gate: string | null;
  readonly held: boolean;
  readonly outcome: string | null;
  readonly faultDomain: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Temporal's own status, in lower case. */
  readonly status: string;
}

/** The acceptance runs of a site, for programs. */
export class AcceptanceRuns {
  readonly client: Client;
  readonly site: string;

  constructor(client: Client, site: string) {
    this.client = client;
    this.site = site;
  }

  /** Starts a run. Throws RUN_EXISTS where its id was given before. */
  async start({
    runId = newId(),
    ...wish
  }: Omit<AcceptanceInput, 'site' | 'runId'> & { runId?: string }): Promise<RunTicket> {
    const workflowId = acceptanceWorkflowId(this.site, runId);
    try {
      await this.client.workflow.start('acceptance', {
        workflowId,
        taskQueue: WORKFLOW_QUEUE,
        args: [{ site: this.site, ...wish }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: `Acceptance of ${this.site}`,
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        throw fail('RUN_EXISTS', `Site ${this.site} has a run ${runId} already.`, {}, { cause: error });
      }
      throw asRackwrightError(error, `run ${runId}`);
    }
    return { runId, workflowId };
  }

  /** The report of a run that goes on or is over. Throws RUN_UNKNOWN. */
  async report(runId: string): Promise<AcceptanceReport> {
    const workflowId = acceptanceWorkflowId(this.site, runId);
    const handle = this.client.workflow.getHandle(workflowId);
    try {
      const { status } = await handle.describe();
      if (status.name === 'RUNNING') {
        const report = await queried<AcceptanceReport>(this.client, workflowId, 'report');
        if (report) return report;
      }
      return (await handle.result()) as AcceptanceReport;
    } catch (error) {
      throw this.#asOurs(error, runId);
    }
  }

  /** Sends `resume` or `abort` to a run. */
  async control(runId: string, verb: 'resume' | 'abort', message: JsonObject): Promise<void> {
    try {
      await this.client.connection.withDeadline(Date.now() + REQUEST_MS, () =>
        this.client.workflow
          .getHandle(acceptanceWorkflowId(this.site, runId))
          .executeUpdate<RunTicket, [JsonObject]>(verb, { args: [message] }),
      );
    } catch (error) {
      // Temporal says the same of one that is over as of one that never was.
      if (error instanceof WorkflowNotFoundError && (await this.report(runId)).outcome !== undefined)
        throw fail('NOT_HELD', `Run ${runId} is over.`, { correction: NEW_RUN }, { cause: error });
      throw this.#asOurs(error, runId);
    }
  }

  /** Waits until a run is over or held, and tells of every change on the way. */
  async follow(runId: string, options: FollowOptions<AcceptanceReport> = {}): Promise<AcceptanceReport> {
    await this.report(runId);
    return follow(this.client, acceptanceWorkflowId(this.site, runId), 'report', options);
  }

  /** Runs of the site, newest first. */
  async list({ running = false, limit = 50 } = {}): Promise<RunRow[]> {
    const terms = [
      `WorkflowType = 'acceptance'`,
      `WorkflowId STARTS_WITH ${quote(`acceptance/${this.site}/`)}`,
      ...(running ? [`ExecutionStatus = 'Running'`] : []),
    ];
    const rows = (await list(this.client, terms.join(' AND '), limit)).map(runRow);
    return rows.sort((a, b) => (a.startedAt > b.startedAt ? -1 : 1));
  }

  #asOurs(error: unknown, runId: string): Error {
    if (error instanceof WorkflowNotFoundError) {
      return fail(
        'RUN_UNKNOWN',
        `Site ${this.site} has no running or kept run ${runId}.`,
        {},
        { cause: error },
      );
    }
    if (error instanceof WorkflowFailedError && ENDED.some((kind) => error.cause instanceof kind)) {
      const message = `Run ${runId} was ended from outside: its workflow was terminated, and left no report.`;
      return fail('OPERATION_LOST', message, { correction: NEW_RUN }, { cause: error });
    }
    return asRackwrightError(error, `run ${runId}`);
  }
}

const runRow = (info: WorkflowExecutionInfo): RunRow => ({
  runId: parseAcceptanceWorkflowId(info.workflowId)?.runId ?? info.workflowId,
  workflowId: info.workflowId,
  gate: keyword(info, 'RackwrightGate'),
  // One that was terminated keeps what it said last.
  held: info.closeTime === undefined && keywords(info, 'RackwrightFlags').includes('held'),
  outcome: keyword(info, 'RackwrightOutcome'),
  faultDomain: keyword(info, 'RackwrightFaultDomain'),
  startedAt: info.startTime.toISOString(),
  endedAt: info.closeTime?.toISOString() ?? null,
  status: info.status.name.toLowerCase(),
});

import type { Client, ScheduleDescription } from '@temporalio/client';
import { applyNightly, described, type Applied } from '../../activities/schedules/nightly.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { fail } from '../../core/errors/failure.ts';
import { nightlyScheduleId } from '../../core/names.ts';
import { asRackwrightError } from '../../activities/temporal/client-errors.ts';

/** A schedule as lists show it. Times are ISO 8601. */
export interface ScheduleRow {
  readonly schedule: string;
  readonly paused: boolean;
  /** Why it is paused, or what Temporal noted. */
  readonly note: string | null;
  readonly timeZone: string;
  readonly next: readonly string[];
  /** What it started, newest first. */
  readonly started: readonly {
    readonly at: string;
    readonly workflowId: string;
    readonly running: boolean;
  }[];
  /** How often nothing was started, since the run before was still under way. */
  readonly skipped: number;
  /** How often nothing was started, since it was too late for it. */
  readonly missed: number;
}

/** The nightly schedule of a site, for programs. */
export class Schedules {
  readonly client: Client;
  readonly site: string;

  constructor(client: Client, site: string) {
    this.client = client;
    this.site = site;
  }

  /** The schedules of the site: one, or none. */
  async list(): Promise<ScheduleRow[]> {
    const found = await this.#ours(() => described(this.client, this.site));
    return found ? [rowOf(found)] : [];
  }

  /** Brings the schedule to what the contract says; a paused one stays so. Throws SCHEDULE_REFUSED. */
  apply(inventory: Pick<Inventory, 'site' | 'nightly'>): Promise<Applied> {
    return this.#ours(() => applyNightly(this.client, inventory, { rewrite: true }));
  }

  /** Starts nothing until `resume`. Throws SCHEDULE_UNKNOWN. */
  async pause(reason: string): Promise<ScheduleRow> {
    await this.#known();
    await this.#ours(() => this.#handle.pause(reason));
    return rowOf(await this.#known());
  }

  /** Starts runs again. Throws SCHEDULE_UNKNOWN. */
  async resume(reason: string): Promise<ScheduleRow> {
    await this.#known();
    await this.#ours(() => this.#handle.unpause(reason));
    return rowOf(await this.#known());
  }

  /** Starts a nightly run now. Throws SCHEDULE_UNKNOWN, and RUN_IN_PROGRESS where the last one goes on. */
  async trigger(): Promise<ScheduleRow> {
    const { running } = rowOf(await this.#known()).started.find((each) => each.running) ?? {};
    if (running === true) {
      throw fail('RUN_IN_PROGRESS', `The nightly run of ${this.site} is under way.`, {
        correction: 'Look at `rackwright acceptance list --running`.',
      });
    }
    await this.#ours(() => this.#handle.trigger('SKIP'));
    return rowOf(await this.#known());
  }

  get #handle() {
    return this.client.schedule.getHandle(nightlyScheduleId(this.site));
  }

  async #known(): Promise<ScheduleDescription> {
    const found = await this.#ours(() => described(this.client, this.site));
    if (found) return found;
    throw fail('SCHEDULE_UNKNOWN', `There is no schedule ${nightlyScheduleId(this.site)}.`);
  }

  async #ours<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw asRackwrightError(error, `schedule of site ${this.site}`);
    }
  }
}

function rowOf({ scheduleId, spec, state, info }: ScheduleDescription): ScheduleRow {
  const running = new Set(info.runningActions.map(({ workflow }) => workflow.workflowId));
  return {
    schedule: scheduleId,
    paused: state.paused,
    note: state.note || null,
    timeZone: spec.timezone || 'UTC',
    next: state.paused ? [] : info.nextActionTimes.slice(0, 3).map((time) => time.toISOString()),
    started: info.recentActions.toReversed().map(({ takenAt, action: { workflow } }) => ({
      at: takenAt.toISOString(),
      workflowId: workflow.workflowId,
      running: running.has(workflow.workflowId),
    })),
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
  };
}

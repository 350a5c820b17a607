import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
  type ScheduleOptions,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { Nightly } from '../../contracts/inventory/policy.ts';
import { fail } from '../../core/errors/failure.ts';
import { fingerprint } from '../../core/fingerprint.ts';
import { nightlyScheduleId, WORKFLOW_QUEUE } from '../../core/names.ts';

/** How late a run may begin that was missed, unless the contract says otherwise. */
const CATCH_UP = 3600;
/** Of what is written below, beside the contract: counted up when that changes. */
const VERSION = 1;

/** What came of bringing the schedule to what the contract says. */
export type Applied = 'created' | 'updated' | 'deleted' | 'unchanged' | 'none';

type Needs = Pick<Client, 'schedule'>;

/**
 * Brings the schedule of a site to what its contract says. One that is paused stays so. One that is as it should be
 * is not written: Temporal would forget what it still has to catch up with. Several may do it at once. Throws
 * SCHEDULE_REFUSED.
 *
 * @param rewrite write it in any case: somebody may have changed it by hand
 */
export async function applyNightly(
  client: Needs,
  { site, nightly }: Pick<Inventory, 'site' | 'nightly'>,
  { rewrite = false } = {},
): Promise<Applied> {
  const handle = client.schedule.getHandle(nightlyScheduleId(site));
  const known = await described(client, site);
  if (nightly === undefined) {
    if (known === undefined) return 'none';
    await handle.delete().catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    });
    return 'deleted';
  }
  const wanted = optionsOf(site, nightly);
  try {
    if (known === undefined) {
      await client.schedule.create(wanted);
      return 'created';
    }
    if (!rewrite && markOf(known) === wanted.action.memo?.['contract']) return 'unchanged';
    await handle.update(({ state }): ScheduleUpdateOptions => {
      const { scheduleId: _id, ...rest } = wanted;
      return { ...rest, state };
    });
    return 'updated';
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return applyNightly(client, { site, nightly });
    // The client's own word for a specification that the server does not take.
    if (!(error instanceof TypeError)) throw error;
    const message = `Temporal refuses the schedule "${nightly.schedule}": ${error.message.slice(0, 300)}`;
    throw fail('SCHEDULE_REFUSED', message, {}, { cause: error });
  }
}

/** The schedule of a site as it is; undefined if there is none. */
export async function described(client: Needs, site: string): Promise<ScheduleDescription | undefined> {
  try {
    return await client.schedule.getHandle(nightlyScheduleId(site)).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

const markOf = ({ action }: ScheduleDescription): unknown => action.memo?.['contract'];

function optionsOf(site: string, nightly: Nightly): ScheduleOptions {
  const { schedule, timeZone, jitter = 0, catchUpWindow = CATCH_UP } = nightly;
  const id = nightlyScheduleId(site);
  return {
    scheduleId: id,
    spec: { cronExpressions: [schedule.trim()], timezone: timeZone, jitter: jitter * 1000 },
    policies: { overlap: 'SKIP', catchupWindow: catchUpWindow * 1000, pauseOnFailure: false },
    action: {
      type: 'startWorkflow',
      workflowType: 'nightly',
      workflowId: id,
      taskQueue: WORKFLOW_QUEUE,
      args: [{ site }],
      memo: { contract: fingerprint({ VERSION, schedule, timeZone, jitter, catchUpWindow }) },
      staticSummary: `Nightly acceptance of ${site}`,
      typedSearchAttributes: [
        { key: defineSearchAttributeKey('RackwrightSite', SearchAttributeType.KEYWORD), value: site },
      ],
    },
  };
}

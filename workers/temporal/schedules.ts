import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { applyNightly } from '../../activities/schedules/nightly.ts';
import type { Site } from '../../activities/site.ts';

/**
 * Brings the schedule of the site to what the contract says. What is wrong with it is told, and keeps no worker from
 * its work.
 */
export async function reconcileSchedule(
  client: Pick<Client, 'schedule'>,
  site: Pick<Site, 'inventory'>,
  log: Logger,
): Promise<void> {
  try {
    const applied = await applyNightly(client, await site.inventory());
    if (applied !== 'none' && applied !== 'unchanged') log.info({ applied }, 'nightly schedule');
  } catch (err) {
    log.error({ err }, 'the nightly schedule could not be brought to what the contract says');
  }
}

import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import type { Driver, Watcher } from '../../../activities/drivers/driver.ts';
import { createActivities } from '../../../activities/index.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { SiteActivities } from '../../../core/site-activities.ts';
import { INVENTORY, until } from '../../workflows/support.ts';
import { aRecord, anInput, aSite } from '../support.ts';

const watched: Inventory = { ...INVENTORY, bmc: { ...INVENTORY.bmc, watch: { interval: 0.1 } } };

/** The watch as a worker runs it, over a driver that looks and finds nothing. */
async function begin(inventory: Inventory, stopping: AbortSignal) {
  const site = await aSite({ inventory: async () => inventory });
  await site.records.write({ ...aRecord(anInput()), operation: null, phase: 'available' }, 0);
  let looks = 0;
  const watcher = (): Watcher => ({
    batch: 1,
    look: async ([node]) => {
      looks += 1;
      return new Map([[node!.name, {}]]);
    },
    release: () => undefined,
  });
  const driver = { name: 'redfish', watcher } as unknown as Driver;
  const { watchNodes } = createWatch(site, driver, stopping);
  const environment = new MockActivityEnvironment();
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => void beats.push(details));
  const done = environment.run(watchNodes, { site: site.name }).then(() => 'returned');
  return { environment, beats, done, looked: () => until(() => looks > 1, { what: 'looks' }) };
}

/** Only what the watch needs: the steps of a driver are not asked for. */
const createWatch = (
  site: Parameters<typeof createActivities>[0],
  driver: Driver,
  stopping: AbortSignal,
): SiteActivities => {
  const steps = new Proxy({}, { get: () => async () => ({ summary: '' }) });
  return createActivities(site, [{ ...driver, steps }], { stopping }) as SiteActivities;
};

it('returns as soon as its worker stops, and tells meanwhile what it does', async () => {
  const stopping = new AbortController();
  const { beats, done, looked } = await begin(watched, stopping.signal);
  await looked();
  await until(() => beats.some((details) => details !== undefined), { what: 'a heartbeat with details' });
  expect(beats.findLast((details) => details !== undefined)).toMatchObject({ nodes: 1 });
  stopping.abort();
  expect(await done).toBe('returned');
});

it('returns as soon as its worker stops, also while it has nothing to look at', async () => {
  const stopping = new AbortController();
  const off: Inventory = { ...INVENTORY, bmc: { ...INVENTORY.bmc, watch: 'off' } };
  const { done } = await begin(off, stopping.signal);
  stopping.abort();
  expect(await done).toBe('returned');
});

it('returns when it is cancelled', async () => {
  const { environment, done, looked } = await begin(watched, new AbortController().signal);
  await looked();
  environment.cancel('CANCELLED');
  expect(await done).toBe('returned');
});

import type { SiteActivities } from '../core/site-activities.ts';
import type { Driver } from './drivers/driver.ts';
import { loadNode, saveNode, watchOperation } from './nodes.ts';
import { closeOperation, openOperation } from './operations.ts';
import { activity, driverActivities } from './runner.ts';
import type { Site } from './site.ts';

/** Everything that a worker of a site registers, by the names that workflows call. */
export function createActivities(site: Site, drivers: readonly Driver[]): object {
  const common: SiteActivities = {
    loadNode: activity(site, (input) => loadNode(site, input)),
    saveNode: activity(site, (input) => saveNode(site, input)),
    watchOperation: activity(site, (input) => watchOperation(site, input)),
    openOperation: activity(site, (input) => openOperation(site, input)),
    closeOperation: activity(site, (input) => closeOperation(site, input)),
  };
  return Object.assign({}, common, ...drivers.map((driver) => driverActivities(site, driver))) as object;
}

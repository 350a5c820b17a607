import type { Driver } from '../activities/drivers/driver.ts';
import { ironicDriver } from '../activities/drivers/ironic/driver.ts';
import { redfishDriver } from '../activities/drivers/redfish/driver.ts';

/** The drivers that a worker carries nodes with. */
export const DRIVERS: readonly Driver[] = [redfishDriver, ironicDriver];

import type { Driver } from '../activities/drivers/driver.ts';

/** The drivers that a worker carries nodes with. */
export const DRIVERS: readonly Driver[] = [];

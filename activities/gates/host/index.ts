import type { CheckFunction } from '../check.ts';
import { bmcAccess } from './bmc-access.ts';
import { disks } from './disks.ts';
import { hardwareInventory } from './hardware-inventory.ts';
import { hostIdentity } from './host-identity.ts';
import { interfaces } from './interfaces.ts';
import { managementAccess } from './management-access.ts';
import { nameResolution } from './name-resolution.ts';
import { routes } from './routes.ts';
import { timeInSync } from './time-in-sync.ts';

/** How the checks of gate 1 are made. */
export const HOST_FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  'bmc-access': bmcAccess,
  disks,
  'hardware-inventory': hardwareInventory,
  'host-identity': hostIdentity,
  interfaces,
  'management-access': managementAccess,
  'name-resolution': nameResolution,
  routes,
  'time-in-sync': timeInSync,
};

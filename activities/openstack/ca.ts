import { readFile } from 'node:fs/promises';
import type { Inventory } from '../../contracts/inventory/inventory.ts';

/** PEM of the CA of the contract's cloud, and of its Ironic; undefined where it is one of the system's. */
export const cloudCa = async ({ openstack }: Pick<Inventory, 'openstack'>): Promise<string | undefined> =>
  openstack?.ca === undefined ? undefined : readFile(openstack.ca, 'utf8');

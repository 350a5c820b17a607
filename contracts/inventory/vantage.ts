import { fail } from '../../core/errors/failure.ts';
import type { Inventory } from './inventory.ts';
import type { Ssh, VantagePoint } from './platform.ts';

/** The name that stands for the machine of the worker itself. */
export const VANTAGE_WORKER = 'worker';

/** A host behind a vantage point, and how it is logged in to; the key is a reference. */
export interface VantageHost extends Omit<Ssh, 'host' | 'port'> {
  readonly host: string;
  readonly port: number;
}

/** The host of the vantage point of this name. Throws CONTRACT_INVALID where it has none. */
export function vantageHost(inventory: Inventory, name: string): VantageHost {
  const point = inventory.vantagePoints.find((each) => each.name === name);
  const controller = inventory.controllers.find((each) => each.name === point?.controller);
  const ssh = point?.ssh ?? controller?.ssh;
  const host = ssh?.host ?? controller?.address;
  if (ssh === undefined || host === undefined) {
    throw fail('CONTRACT_INVALID', `The contract says of no SSH by which vantage point ${name} is reached.`);
  }
  return { ...ssh, host, port: ssh.port ?? 22 };
}

/** Where operators are: what endpoints are asked from, and what they reach from where. */
export function operatorsOf({ acceptance }: Inventory) {
  const asks = acceptance?.operator;
  const reaches = acceptance?.reachability?.operator ?? (asks === undefined ? undefined : { from: asks });
  return { asks, reaches };
}

/** Where a vantage point is: a host that is logged in to, or pods of the contract's Kubernetes. */
export type VantagePlace =
  { readonly host: VantageHost } | { readonly pod: NonNullable<VantagePoint['pod']> };

/** The place of the vantage point of this name. Throws CONTRACT_INVALID where it has none that commands run in. */
export function vantagePlace(inventory: Inventory, name: string): VantagePlace {
  const pod = inventory.vantagePoints.find((each) => each.name === name)?.pod;
  return pod === undefined ? { host: vantageHost(inventory, name) } : { pod };
}

import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Probe } from '../../../core/reachability/probe.ts';
import type { CheckFunction } from '../check.ts';
import { boundsOf, noPlace, reachabilityOf, tryFrom, type Wanted } from './tries.ts';

const wantedOf = (targets: readonly (Probe | string)[] = [], what: string): Wanted[] =>
  targets.map((each) => ({
    probe: typeof each === 'string' ? { url: each } : each,
    what,
    owner: 'first-boot',
    way: 'tenant-network',
  }));

/** A guest that stands there for others like it. The ones that are deployed are tried by gate 7. */
export const guestToNetwork: CheckFunction = {
  skip: (inventory) =>
    reachabilityOf(inventory).guest === undefined
      ? `${noPlace('a guest', 'guest')}: gate 7 shows of the guest that it deploys that it calls home, and that it is reached`
      : undefined,
  bounds: (inventory, least) => boundsOf(least, [reachabilityOf(inventory).guest?.reaches.length ?? 0]),
  run(context) {
    const { from, reaches } = reachabilityOf(context.inventory).guest!;
    const wanted = wantedOf(reaches, 'what guests reach').map((each) => ({
      ...each,
      owner: 'tenant-network' as const,
    }));
    return tryFrom(context, 'tenant-network', [{ from, wanted }]);
  },
};

const byUser = (field: 'guests' | 'workloads', what: string): CheckFunction => {
  const targets = (inventory: Inventory): readonly (Probe | string)[] | undefined =>
    reachabilityOf(inventory).user?.[field];
  return {
    skip(inventory) {
      if (reachabilityOf(inventory).user === undefined) return noPlace('the user', 'user');
      return targets(inventory) === undefined
        ? `the contract names no ${field} (\`acceptance.reachability.user.${field}\`)`
        : undefined;
    },
    bounds: (inventory, least) => boundsOf(least, [targets(inventory)?.length ?? 0]),
    run(context) {
      const { from } = reachabilityOf(context.inventory).user!;
      return tryFrom(context, 'tenant-network', [
        { from, wanted: wantedOf(targets(context.inventory), what) },
      ]);
    },
  };
};

export const userToGuest = byUser('guests', 'a guest');
export const userToWorkload = byUser('workloads', 'a workload');

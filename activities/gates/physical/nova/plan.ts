import type { EffectiveNode } from '../../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import { VANTAGE_WORKER } from '../../../../contracts/inventory/vantage.ts';
import { fail, RackwrightError } from '../../../../core/errors/failure.ts';
import type { CheckResult } from '../../../../core/acceptance/report.ts';
import { timeOf } from '../../../../core/openstack/read.ts';
import type { OpenStack } from '../../../openstack/client.ts';
import type { CheckContext, CheckFunction } from '../../check.ts';
import { withOpenStack } from '../../openstack/session.ts';
import { noServer, serverOf, wrong } from '../server.ts';

/** What a server is asked for with, and how its user comes to it: as the contract says. */
export interface Plan {
  readonly node: EffectiveNode;
  readonly flavor: string;
  /** Its name in Glance. */
  readonly image: string;
  /** Its name in Neutron. */
  readonly network: string;
  readonly configDrive: boolean;
  readonly from: string;
  readonly ports: readonly number[];
  /** What stands in the console's log once the first boot is done; undefined: the guest answers then. */
  readonly booted: string | undefined;
  readonly console: 'novnc' | 'serial' | 'spice-html5' | undefined;
  /** Seconds. */
  readonly bounds: { readonly deploy: number; readonly firstBoot: number; readonly handOver: number };
}

const SSH = 22;
const DEFAULTS = { deploy: 2 * 3600, firstBoot: 900, handOver: 600, release: 4 * 3600 };

/** Throws CONTRACT_INVALID where the contract leaves out what is needed. */
export function planOf(context: CheckContext): Plan {
  const { node, image } = serverOf(context);
  const { acceptance = {}, timeouts } = context.inventory;
  const { flavor, cloud = {} } = acceptance;
  const network = cloud.network ?? acceptance.network;
  const missing = flavor === undefined ? 'flavor' : network === undefined ? 'network' : undefined;
  if (flavor === undefined || network === undefined) {
    throw fail(
      'CONTRACT_INVALID',
      `The contract names a cloud, and does not say \`acceptance.${missing}\`, which gate 7 asks it for.`,
      { correction: `Add \`acceptance.${missing}\`, as the cloud calls it.` },
    );
  }
  const own = acceptance.timeouts;
  const { handOver } = node.machineType;
  return {
    node,
    flavor,
    image: cloud.image ?? image,
    network,
    configDrive: cloud.configDrive ?? false,
    from: cloud.from ?? handOver?.from ?? VANTAGE_WORKER,
    ports: cloud.ports ?? handOver?.ports ?? [SSH],
    booted: cloud.firstBoot?.console,
    console: cloud.console,
    bounds: {
      deploy: own?.deadlines?.deploy ?? timeouts?.deadlines?.deploy ?? DEFAULTS.deploy,
      firstBoot: own?.firstBoot ?? timeouts?.firstBoot ?? DEFAULTS.firstBoot,
      handOver: own?.handOver ?? timeouts?.handOver ?? DEFAULTS.handOver,
    },
  };
}

/** How many seconds a server may take to be gone, and its node to be available again. */
export const deleteBound = ({ acceptance, timeouts }: Inventory): number =>
  acceptance?.timeouts?.deadlines?.release ?? timeouts?.deadlines?.release ?? DEFAULTS.release;

/** A check that asks the cloud, with what the contract says of the server. */
export const ofPlan = (
  run: (cloud: OpenStack, plan: Plan, context: CheckContext) => Promise<CheckResult>,
): CheckFunction => ({
  skip: noServer,
  run: (context) => withOpenStack(context, (cloud) => run(cloud, planOf(context), context)),
});

/** As `ofPlan`; what the contract leaves out is a fail here, and an error of the others. */
export const ofWholePlan = (run: Parameters<typeof ofPlan>[0]): CheckFunction => ({
  skip: noServer,
  async run(context) {
    try {
      planOf(context);
    } catch (error) {
      if (!(error instanceof RackwrightError) || error.failure.code !== 'CONTRACT_INVALID') throw error;
      return wrong('acceptance', [error.failure], 'contract');
    }
    return ofPlan(run).run(context);
  },
});

/** Whether more than so many seconds have gone by since a time of the cloud; of no time, nothing is said. */
export const isOver = (since: string | undefined | null, seconds: number): boolean =>
  Date.now() - (timeOf(since) ?? Infinity) > seconds * 1000;

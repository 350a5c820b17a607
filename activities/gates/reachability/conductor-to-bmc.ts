import { effectiveNodes, type EffectiveNode } from '../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { VANTAGE_WORKER } from '../../../contracts/inventory/vantage.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { CheckFunction } from '../check.ts';
import { boundsOf, noPlace, reachabilityOf, tryFrom, type Tries, type Wanted } from './tries.ts';

const ROOT = '/redfish/v1/';

/** Where the Redfish service of a node is; undefined where its BMC speaks something else. */
function serviceOf({ bmc, ironic }: EffectiveNode): string | undefined {
  const info = ironic?.driverInfo['redfish_address'];
  const address = bmc?.address ?? (typeof info === 'string' ? info : undefined);
  if (address === undefined) return undefined;
  const url = `${/^https?:\/\//.test(address) ? address : `https://${address}`}`.replace(/\/+$/, '');
  return URL.canParse(url) ? `${url}${ROOT}` : undefined;
}

/** The nodes whose BMCs are tried. */
const sampleOf = (inventory: Inventory): EffectiveNode[] => {
  const { bmcs } = reachabilityOf(inventory);
  return effectiveNodes(inventory).filter(({ name }) => bmcs === undefined || bmcs.includes(name));
};

/** What is tried from where; and the nodes of conductors that no place stands for. */
export function planOf(inventory: Inventory): { readonly tries: Tries[]; readonly without: string[] } {
  const nodes = sampleOf(inventory);
  const { conductors } = reachabilityOf(inventory);
  const of = (driver: EffectiveNode['driver']) => nodes.filter((each) => each.driver === driver);
  const [own, theirs] = [of('redfish'), of('ironic')];
  const reached = theirs.filter((node) => serviceOf(node) !== undefined);
  const untried = theirs.length - reached.length;
  const note = untried === 0 ? '' : `; not tried: ${untried} that are not reached by Redfish`;
  const from = conductors ?? [];
  return {
    tries: [
      ...(own.length === 0 ? [] : [{ from: VANTAGE_WORKER, wanted: own.flatMap(wantedOf) }]),
      ...(reached.length === 0
        ? []
        : from.map((each) => ({ from: each, wanted: reached.flatMap(wantedOf), note }))),
    ],
    without: from.length > 0 ? [] : reached.map(({ name }) => name),
  };
}

function wantedOf(node: EffectiveNode): Wanted[] {
  const url = serviceOf(node);
  // Its certificate is looked at where it is logged in to, by the policy of the contract.
  const probe = { url: url ?? '', insecure: true };
  return url === undefined
    ? []
    : [{ probe, what: `the BMC of ${node.name}`, owner: 'bmc', way: 'management-network' }];
}

/** The Redfish service of each BMC answers whoever opens connections to it. Nobody logs in. */
export const conductorToBmc: CheckFunction = {
  skip(inventory) {
    if (sampleOf(inventory).length === 0) return 'the contract has no node';
    const { tries, without } = planOf(inventory);
    if (tries.length > 0) return undefined;
    return without.length > 0
      ? noPlace("Ironic's conductors", 'conductors')
      : 'no BMC of these nodes is reached by Redfish';
  },
  bounds: (inventory, least) =>
    boundsOf(
      least,
      planOf(inventory).tries.map(({ wanted }) => wanted.length),
    ),
  async run(context) {
    const { tries, without } = planOf(context.inventory);
    const result = await tryFrom(context, 'management-network', tries);
    if (without.length === 0 || result.outcome === 'fail') return result;
    throw fail(
      'VANTAGE_NOT_NAMED',
      `No place stands for Ironic's conductors, which reach the BMCs of ${without.slice(0, 8).join(', ')}; what the worker reaches does not count for them.`,
    );
  },
};

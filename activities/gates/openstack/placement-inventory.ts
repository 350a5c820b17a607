import {
  COMPUTE,
  readHypervisors,
  readServices,
  type Hypervisor,
} from '../../../core/openstack/compute-services.ts';
import type { Found } from '../../../core/openstack/found.ts';
import {
  judgeInventory,
  judgeProvider,
  readInventories,
  readProviders,
} from '../../../core/openstack/providers.ts';
import type { Json } from '../../../core/json.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { answerInvalid } from '../../openstack/errors.ts';
import { AT_ONCE, eachTarget, type CheckFunction } from '../check.ts';
import { hypervisorsOf, servicesOf } from './compute-services.ts';
import { without, withOpenStack } from './session.ts';

/** What computes run servers on is known to Placement, with what it has. */
export const placementInventory: CheckFunction = {
  skip: (inventory) => without('placement')(inventory) ?? without('compute')(inventory),
  run: (context) =>
    withOpenStack(context, (cloud) =>
      eachTarget(context, 'openstack', [{ name: 'Placement' }], async ({ name }) => {
        const enabled = new Set(
          readServices(await servicesOf(cloud))
            .filter((each) => each.binary === COMPUTE && each.enabled && each.up)
            .map(({ host }) => host),
        );
        // A compute that is down is another check's finding.
        const hypervisors = readHypervisors(await hypervisorsOf(cloud)).filter(({ host }) =>
          enabled.has(host),
        );
        const providers = readProviders(
          await cloud.list('placement', '/resource_providers', 'resource_providers'),
        );
        const known = hypervisors.filter(({ id }) => providers.some(({ uuid }) => uuid === id));
        const empty = await withoutInventory(cloud, known);
        const evidence = await context.evidence(name, {
          asked: 'GET /resource_providers, the inventories of each, and /v2.1/os-hypervisors/detail',
          answer: { hypervisors, providers } as unknown as Json,
        });
        const wrong = [...hypervisors.flatMap((each) => judgeProvider(each, providers) ?? []), ...empty];
        const right =
          hypervisors.length === 0
            ? 'there is no compute that is up, and so nothing to count'
            : `${hypervisors.length} providers with an inventory`;
        return { found: wrong.length > 0 ? { wrong } : { right }, evidence: [evidence] };
      }),
    ),
};

async function withoutInventory(cloud: OpenStack, known: readonly Hypervisor[]): Promise<Found[]> {
  const found: Found[] = [];
  const waiting = [...known];
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const path = `/resource_providers/${encodeURIComponent(next.id)}/inventories`;
      const body = await cloud.find('placement', path);
      // It was there a moment ago: what is gone now is told by the next run.
      const classes = body === undefined ? [] : readInventories(body);
      if (classes === undefined)
        throw answerInvalid({ service: 'placement', method: 'GET', path }, 'it has no inventories');
      found.push(...[judgeInventory(next, classes)].flatMap((each) => each ?? []));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return found;
}

import { fail } from '../../../core/errors/failure.ts';
import {
  judgeServices,
  readHypervisors,
  readServices,
  toldOf,
  untoldServices,
} from '../../../core/openstack/compute-services.ts';
import type { Json } from '../../../core/json.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { withOpenStack, without } from './session.ts';

/** The services of Nova, as it lists them. Throws where a cell is down, of whose services it says nothing. */
export async function servicesOf(cloud: OpenStack, query = ''): Promise<readonly unknown[]> {
  const path = `/v2.1/os-services${query}`;
  const services = await cloud.list('compute', path, 'services');
  const untold = untoldServices(services);
  if (untold.length === 0) return services;
  throw fail(
    'OPENSTACK_UNAVAILABLE',
    `Nova does not tell the state of ${untold.slice(0, 10).join(', ')}: the database of their cell does not answer.`,
    { details: { service: 'compute', method: 'GET', path } },
  );
}

/** What servers can be put on, as Nova lists it. */
export const hypervisorsOf = (cloud: OpenStack) =>
  cloud.list('compute', '/v2.1/os-hypervisors/detail', 'hypervisors');

/** Conductors, schedulers and computes are up, and are those that the contract says. */
export const computeServices: CheckFunction = {
  skip: without('compute'),
  run: (context) =>
    withOpenStack(context, (cloud) =>
      eachTarget(context, 'openstack', [{ name: 'Nova' }], async ({ name }) => {
        const [services, hypervisors] = [
          readServices(await servicesOf(cloud)),
          readHypervisors(await hypervisorsOf(cloud)),
        ];
        const evidence = await context.evidence(name, {
          asked: 'GET /v2.1/os-services and /v2.1/os-hypervisors/detail',
          answer: { services, hypervisors } as unknown as Json,
        });
        const wanted = context.inventory.openstack?.compute?.services ?? [];
        const wrong = judgeServices(wanted, services, hypervisors);
        return {
          found: wrong.length > 0 ? { wrong } : { right: toldOf(wanted, services) },
          evidence: [evidence],
        };
      }),
    ),
};

import { readHypervisors, readServices } from '../../../core/openstack/compute-services.ts';
import {
  judgeAgents,
  judgeBackend,
  readAgents,
  toldOfAgents,
  type Computes,
} from '../../../core/openstack/network-agents.ts';
import type { Json } from '../../../core/json.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { hypervisorsOf, servicesOf } from './compute-services.ts';
import { isThere, withOpenStack, without } from './session.ts';

/** The agents of Neutron, as it lists them: to whoever may not see agents it lists none. */
export async function agentsOf(cloud: OpenStack): Promise<readonly unknown[]> {
  const agents = await cloud.list('network', '/v2.0/agents', 'agents');
  if (agents.length === 0) await cloud.mustSee('network', 'agent');
  return agents;
}

const NO_COMPUTES: Computes = { services: [], hypervisors: [] };

/** The agents of Neutron are alive, those that the contract says, and of its backend. */
export const networkAgents: CheckFunction = {
  skip: without('network'),
  run: (context) =>
    withOpenStack(context, (cloud) =>
      eachTarget(context, 'openstack', [{ name: 'Neutron' }], async ({ name }) => {
        const { agents: wanted = [], backend } = context.inventory.openstack?.network ?? {};
        const agents = readAgents(await agentsOf(cloud));
        const computes =
          backend !== undefined && isThere(context.inventory, 'compute')
            ? {
                services: readServices(await servicesOf(cloud)),
                hypervisors: readHypervisors(await hypervisorsOf(cloud)),
              }
            : NO_COMPUTES;
        const evidence = await context.evidence(name, {
          asked: 'GET /v2.0/agents, and where virtual machines run',
          answer: { agents, hypervisors: computes.hypervisors } as unknown as Json,
        });
        const wrong = [
          ...judgeAgents(wanted, agents),
          ...(backend === undefined ? [] : judgeBackend(backend, agents, computes)),
        ];
        return {
          found: wrong.length > 0 ? { wrong } : { right: toldOfAgents(wanted, agents) },
          evidence: [evidence],
        };
      }),
    ),
};

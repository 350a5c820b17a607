import {
  computeProblems,
  hypervisorProblems,
  ironicComputes,
  isIronic,
} from '../../../core/openstack/compute.ts';
import { readHypervisors, readServices } from '../../../core/openstack/compute-services.ts';
import { readServedNode } from '../../../core/ironic/service.ts';
import { eachTarget, foundOf, type CheckFunction } from '../check.ts';
import { hypervisorsOf, servicesOf } from '../openstack/compute-services.ts';
import { mustSeeNodes, withBareMetal, withoutCloud } from './session.ts';

/** The nodes of Ironic, as the target of its own that they are. */
const NODES = 'nodes and hypervisors';

/** nova-compute with Ironic's driver is up, and has the nodes that Ironic has. */
export const ironicCompute: CheckFunction = {
  skip: (inventory) =>
    withoutCloud(inventory) ??
    (inventory.openstack?.services?.includes('compute') === false
      ? 'the cloud of the contract has no Nova (`openstack.services`)'
      : undefined),
  run: (context) =>
    withBareMetal(context, async ({ ironic, cloud }) => {
      const services = readServices(await servicesOf(cloud!, '?binary=nova-compute'));
      const hypervisors = readHypervisors(await hypervisorsOf(cloud!));
      const path = '/v1/nodes?fields=uuid,name,provision_state';
      const nodes = (await ironic.list(path, 'nodes')).map(readServedNode);
      // Of those that it may not see the list says nothing: neither that they are there, nor that they are not.
      await mustSeeNodes(ironic);
      const hosts = ironicComputes(context.inventory.openstack?.bareMetal?.computes, hypervisors);
      const targets = [...hosts.map((name) => ({ name })), { name: NODES }];
      return eachTarget(context, 'openstack', targets, async ({ name }) => {
        if (name === NODES) {
          const evidence = await context.evidence('nodes', {
            asked: `GET ${path} of Ironic, and os-hypervisors/detail of Nova`,
            answer: {
              nodes: nodes.map(({ uuid, name: called, provisionState }) => ({
                uuid,
                called,
                provisionState,
              })),
              hypervisors: hypervisors.filter(isIronic).map(({ name: uuid, host }) => ({ uuid, host })),
            },
          });
          const wrong = hypervisorProblems(nodes, hypervisors);
          return { found: foundOf(wrong, 'the nodes of Ironic are those of Nova'), evidence: [evidence] };
        }
        const evidence = await context.evidence(name, {
          asked: `os-services and os-hypervisors/detail of Nova`,
          answer: {
            services: services.map((each) => ({ ...each })),
            hypervisors: hypervisors.filter(({ host }) => host === name).map((each) => ({ ...each })),
          },
        });
        return { found: foundOf(computeProblems(name, services, hypervisors), 'up'), evidence: [evidence] };
      });
    }),
};

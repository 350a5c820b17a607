import {
  conductorProblem,
  conductorsWanted,
  noConductor,
  nodeConductorProblems,
  otherConductors,
} from '../../../core/ironic/conductors.ts';
import { readConductor, type Conductor } from '../../../core/ironic/service.ts';
import { eachTarget, foundOf, type CheckFunction } from '../check.ts';
import { eachNode } from './nodes.ts';
import { withBareMetal, withoutIronic, withoutNodes, type BareMetal } from './session.ts';

export const conductorsOf = async (ironic: BareMetal): Promise<readonly Conductor[]> =>
  (await ironic.list('/v1/conductors', 'conductors')).map(readConductor);

/** The conductors are alive. */
export const ironicConductors: CheckFunction = {
  skip: withoutIronic,
  run: (context) =>
    withBareMetal(context, async ({ ironic }) => {
      const conductors = await conductorsOf(ironic);
      const wanted = conductorsWanted(context.inventory.openstack?.bareMetal?.conductors, conductors);
      const answer = conductors.map(({ hostname, group, alive }) => ({ hostname, group, alive }));
      const targets = wanted.length === 0 ? [{ name: 'conductors' }] : wanted.map((name) => ({ name }));
      const result = await eachTarget(context, 'ironic', targets, async ({ name }) => {
        const asked = `GET /v1/conductors of ${ironic.where}`;
        const evidence = [await context.evidence(name, { asked, answer })];
        const wrong = wanted.length === 0 ? noConductor : conductorProblem(name, conductors);
        return { found: foundOf(wrong === undefined ? [] : [wrong], 'alive'), evidence };
      });
      return { ...result, summary: `${result.summary}${otherConductors(wanted, conductors)}` };
    }),
};

/** Whoever is responsible for a node is alive, and nobody dead has locked it. */
export const nodeConductor: CheckFunction = {
  skip: withoutNodes,
  run: (context) =>
    withBareMetal(context, async ({ ironic }) => {
      const conductors = await conductorsOf(ironic);
      return eachNode(context, ironic, 'ironic', async (node, name) => {
        const { conductor = null, reservation = null, group, driver } = node;
        const evidence = await context.evidence(name, {
          asked: `GET /v1/nodes/${name} and /v1/conductors of ${ironic.where}`,
          answer: {
            node: { conductor, reservation, group, driver },
            conductors: conductors.map(({ hostname, group: of, alive }) => ({ hostname, group: of, alive })),
          },
        });
        const wrong = nodeConductorProblems(node, conductors);
        return { found: foundOf(wrong, `conductor ${conductor ?? ''} is alive`), evidence: [evidence] };
      });
    }),
};

import { fail } from '../../../core/errors/failure.ts';
import { hasConsole } from '../../../core/ironic/service.ts';
import { validationProblems } from '../../../core/ironic/validation.ts';
import { foundOf, type CheckFunction } from '../check.ts';
import { eachNode } from './nodes.ts';
import { withBareMetal, withoutNodes } from './session.ts';
import { validationOf } from './validation.ts';

/** Ironic itself finds the interfaces of a node fit. */
export const nodeValidate: CheckFunction = {
  skip: withoutNodes,
  run: (context) =>
    withBareMetal(context, ({ ironic }) =>
      eachNode(context, ironic, 'ironic', async (node, name) => {
        if (node.conductor === undefined) {
          throw fail(
            'IRONIC_UNAVAILABLE',
            `Node ${node.name} cannot be validated: no conductor is responsible for it.`,
          );
        }
        const { consoles } = context.inventory.openstack?.bareMetal ?? {};
        // That a node has no console is what is said of consoles: of its interfaces it would be said a second time.
        const more = consoles === undefined || !hasConsole(node) ? [] : ['console'];
        const { path, answer } = await validationOf(ironic, node.uuid, more);
        const evidence = await context.evidence(name, {
          asked: `GET ${path} of ${ironic.where}`,
          answer,
        });
        const wrong = validationProblems(node, answer, more);
        return { found: foundOf(wrong, 'its interfaces are fit'), evidence: [evidence] };
      }),
    ),
};

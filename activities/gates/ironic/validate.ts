import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { isValidation, validationProblems } from '../../../core/ironic/validation.ts';
import { answerInvalid } from '../../openstack/errors.ts';
import { foundOf, type CheckFunction } from '../check.ts';
import { eachNode } from './nodes.ts';
import { withBareMetal, withoutNodes } from './session.ts';

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
        const path = `/v1/nodes/${node.uuid}/validate`;
        const answer = await ironic.read(path);
        if (!isValidation(answer)) {
          throw answerInvalid({ service: 'baremetal', method: 'GET', path }, 'it says nothing of `power`');
        }
        const evidence = await context.evidence(name, {
          asked: `GET ${path} of ${ironic.where}`,
          answer: answer as Json,
        });
        const consoles = context.inventory.openstack?.bareMetal?.consoles;
        const wrong = validationProblems(node, answer, consoles === undefined ? [] : ['console']);
        return { found: foundOf(wrong, 'its interfaces are fit'), evidence: [evidence] };
      }),
    ),
};

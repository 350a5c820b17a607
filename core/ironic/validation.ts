import { blame } from './blame.ts';
import { field, text } from '../openstack/read.ts';
import type { ServedNode, ServiceFinding } from './service.ts';
import { firstWords } from '../whole-words.ts';

/** The interfaces that a node cannot be given to anybody without; the others are optional in Ironic. */
export const NEEDED_INTERFACES = ['boot', 'deploy', 'management', 'network', 'power', 'storage'] as const;
/** Those that also judge what is to be deployed, which is not known before somebody asks for the node. */
const OF_INSTANCE: readonly string[] = ['boot', 'deploy'];
const NO_INSTANCE = /instance_info|image_source|image information/i;

/** What Ironic finds wrong with the interfaces that a node needs. */
export function validationProblems(
  node: Pick<ServedNode, 'name' | 'hasInstance'>,
  answer: unknown,
  more: readonly string[] = [],
): ServiceFinding[] {
  return [...NEEDED_INTERFACES, ...more].flatMap((kind) => {
    const verdict = field(answer, kind);
    if (field(verdict, 'result') !== false) return [];
    const reason = text(field(verdict, 'reason')) || 'it gives no reason';
    if (!node.hasInstance && OF_INSTANCE.includes(kind) && NO_INSTANCE.test(reason)) return [];
    return [
      {
        message: `Ironic finds the ${kind} interface of node ${node.name} unfit: ${firstWords(reason, 600)}`,
        correction: `Correct what it names in \`driver_info\` or \`properties\` of the node, then: baremetal node validate ${node.name}.`,
        faultDomain: blame(reason),
      },
    ];
  });
}

/** The interfaces that a node needs, and that an answer of `validate` says nothing of. */
export const untoldInterfaces = (answer: unknown, more: readonly string[] = []): string[] =>
  [...NEEDED_INTERFACES, ...more].filter((kind) => field(field(answer, kind), 'result') === undefined);

import { judgeNode, nodeOf, othersOf } from '../../../core/kubernetes/nodes.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { looked } from '../looked.ts';
import { kubernetesOf, withoutKubernetes } from './session.ts';

/** Every controller of the contract is a node, Ready, and can be given work. */
export const kubernetesNodes: CheckFunction = {
  skip: (inventory) =>
    withoutKubernetes(inventory) ??
    (inventory.controllers.length > 0 ? undefined : 'the contract names no controllers'),
  async run(context) {
    const { controllers } = context.inventory;
    const kubernetes = await kubernetesOf(context);
    // One look for all: targets differ by what they are compared with.
    const seen = looked(async () => {
      const [nodes, leases] = [await kubernetes.nodes(), await kubernetes.leases()];
      return { nodes, leases, now: kubernetes.now };
    });
    const result = await eachTarget(context, 'kubernetes', controllers, async (controller) => {
      const { nodes, leases, now } = await seen();
      const node = nodeOf(nodes, controller);
      const lease = leases.find((each) => each.metadata?.name === node?.metadata?.name);
      const wrong = judgeNode(controller, node, lease, now);
      const evidence = await context.evidence(controller.name, {
        asked: `nodes of ${kubernetes.server}, and their leases`,
        answer: {
          nodes: nodes.map(({ metadata }) => metadata?.name ?? ''),
          node: node?.metadata?.name ?? null,
          unschedulable: node?.spec?.unschedulable ?? false,
          kubelet: node?.status?.nodeInfo?.kubeletVersion ?? null,
          conditions: (node?.status?.conditions ?? []).map(({ type, status, reason, message }) => ({
            type,
            status,
            reason: reason ?? '',
            message: message ?? '',
          })),
          leaseRenewed: lease?.spec?.renewTime?.toISOString() ?? null,
          clockOfTheServer: now.toISOString(),
        },
      });
      return { found: wrong.length > 0 ? { wrong } : { right: 'Ready' }, evidence: [evidence] };
    });
    if (result.outcome === 'error') return result;
    const others = othersOf((await seen()).nodes, controllers);
    const told = others.slice(0, 10).join(', ');
    return others.length === 0
      ? result
      : {
          ...result,
          summary: `${result.summary}; not in the contract: ${told}${others.length > 10 ? ', …' : ''}`,
        };
  },
};

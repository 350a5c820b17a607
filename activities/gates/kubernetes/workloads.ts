import type { JsonObject } from '../../../core/json.ts';
import { nameOf } from '../../../core/kubernetes/shapes.ts';
import { judgeDaemonSet, judgeDeployment, judgeStatefulSet } from '../../../core/kubernetes/workloads.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { contractOf, kubernetesOf, systemNamespaces, withoutKubernetes } from './session.ts';

/** Deployments, stateful sets and daemon sets of the system have as many pods as they are to have. */
export const kubernetesWorkloads: CheckFunction = {
  skip: withoutKubernetes,
  async run(context) {
    const kubernetes = await kubernetesOf(context);
    return eachTarget(context, 'kubernetes', systemNamespaces(contractOf(context)), async ({ name }) => {
      const deployments = await kubernetes.deployments(name);
      const statefulSets = await kubernetes.statefulSets(name);
      const daemonSets = await kubernetes.daemonSets(name);
      const wrong = [
        ...deployments.flatMap((each) => judgeDeployment(each)),
        ...statefulSets.flatMap((each) => judgeStatefulSet(each)),
        ...daemonSets.flatMap((each) => judgeDaemonSet(each)),
      ];
      const evidence = await context.evidence(name, {
        asked: `deployments, statefulsets and daemonsets of ${name}, ${kubernetes.server}`,
        answer: {
          deployments: deployments.map((each) =>
            seen(each, each.spec?.replicas ?? 1, each.status?.availableReplicas),
          ),
          statefulSets: statefulSets.map((each) =>
            seen(each, each.spec?.replicas ?? 1, each.status?.readyReplicas),
          ),
          daemonSets: daemonSets.map((each) =>
            seen(each, each.status?.desiredNumberScheduled ?? 0, each.status?.numberAvailable),
          ),
        },
      });
      return {
        found: wrong.length > 0 ? { wrong } : { right: 'its workloads are complete' },
        evidence: [evidence],
      };
    });
  },
};

const seen = (object: Parameters<typeof nameOf>[0], wanted: number, has: number | undefined): JsonObject => ({
  name: nameOf(object),
  wanted,
  has: has ?? 0,
});

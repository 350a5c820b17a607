import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { JsonObject } from '../../../core/json.ts';
import { judgePod } from '../../../core/kubernetes/pods.ts';
import type { Found } from '../../../core/kubernetes/shapes.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { contractOf, kubernetesOf, systemNamespaces, withoutKubernetes } from './session.ts';

/** No system pod waits, crashes, fails, or restarts again and again. */
export const kubernetesPods: CheckFunction = {
  skip: withoutKubernetes,
  async run(context) {
    const kubernetes = await kubernetesOf(context);
    return eachTarget(context, 'kubernetes', systemNamespaces(contractOf(context)), async ({ name }) => {
      if (!(await kubernetes.hasNamespace(name))) return { found: { wrong: [noNamespace(name)] } };
      const jobs = await kubernetes.jobs(name);
      const pods = await kubernetes.pods(name);
      const wrong = pods.flatMap((pod) => judgePod(pod, jobs, kubernetes.now));
      const evidence = await context.evidence(name, {
        asked: `pods of ${name}, ${kubernetes.server}`,
        answer: { pods: pods.map(seen), clockOfTheServer: kubernetes.now.toISOString() },
      });
      if (pods.length === 0) wrong.push(empty(name));
      return { found: wrong.length > 0 ? { wrong } : { right: 'its pods run' }, evidence: [evidence] };
    });
  },
};

const noNamespace = (name: string): Found => ({
  message: `There is no namespace ${name}.`,
  correction: `Correct \`kubernetes.systemNamespaces\`, or look whether this is the cluster that is meant (\`kubernetes.context\`).`,
});

const empty = (name: string): Found => ({
  message: `Namespace ${name} has no pod: what is to run in it is not there.`,
  correction: `Deploy what belongs into ${name}, or take it out of \`kubernetes.systemNamespaces\`.`,
});

/** A pod as evidence: never its specification, which may hold secrets. */
const seen = ({ metadata, spec, status }: V1Pod): JsonObject => ({
  name: metadata?.name ?? '',
  node: spec?.nodeName ?? null,
  phase: status?.phase ?? null,
  conditions: Object.fromEntries((status?.conditions ?? []).map(({ type, status: is }) => [type, is])),
  containers: [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(container),
});

const container = ({ name, ready, restartCount, state, lastState }: V1ContainerStatus): JsonObject => ({
  name,
  ready,
  restarts: restartCount,
  waiting: state?.waiting?.reason ?? null,
  lastEnd: lastState?.terminated?.finishedAt?.toISOString() ?? null,
  lastExitCode: lastState?.terminated?.exitCode ?? null,
});

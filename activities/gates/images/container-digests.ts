import type { V1Pod } from '@kubernetes/client-node';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { judgeContainer, runningContainers } from '../../../core/kubernetes/container-images.ts';
import { eachTarget, foundOf, type CheckFunction, type Wrong } from '../check.ts';
import { contractOf, kubernetesOf, systemNamespaces, withoutKubernetes } from '../kubernetes/session.ts';

const recordOf = ({ kubernetes }: Inventory) => kubernetes?.containerImages ?? [];

/** How many images without a record are named. */
const MOST_NAMED = 10;

/** What runs in the system's namespaces are the container images that were recorded, by their digest. */
export const containerDigests: CheckFunction = {
  skip: (inventory) =>
    withoutKubernetes(inventory) ??
    (recordOf(inventory).length === 0
      ? 'the contract records no container images (`kubernetes.containerImages`)'
      : undefined),
  async run(context) {
    const kubernetes = await kubernetesOf(context);
    const unrecorded = new Set<string>();
    const namespaces = systemNamespaces(contractOf(context));
    const result = await eachTarget(context, 'image-supply', namespaces, async ({ name }) => {
      const pods: V1Pod[] = await kubernetes.pods(name);
      const running = pods.flatMap((pod) => runningContainers(pod));
      const wrong: Wrong[] = [];
      for (const each of running) {
        const judged = judgeContainer(each, recordOf(context.inventory));
        if (judged.wrong) wrong.push(judged.wrong);
        if (judged.unrecorded) unrecorded.add(each.image);
      }
      const evidence = await context.evidence(name, {
        asked: `pods of ${name}, ${kubernetes.server}`,
        answer: { containers: running.map((each) => ({ ...each })) },
      });
      const right = running.length === 0 ? 'no container runs' : 'its containers run what was recorded';
      return { found: foundOf(wrong, right), evidence: [evidence] };
    });
    if (unrecorded.size === 0) return result;
    const named = [...unrecorded].slice(0, MOST_NAMED).join(', ');
    const more = unrecorded.size > MOST_NAMED ? `, and ${unrecorded.size - MOST_NAMED} more` : '';
    return { ...result, summary: `${result.summary}; fixed by a digest, and not recorded: ${named}${more}` };
  },
};

import { fail } from '../../../core/errors/failure.ts';
import type { Kubernetes } from '../../kubernetes/client.ts';
import { isReadyPod } from '../../kubernetes/ready.ts';

/**
 * The name of a pod with these labels that is ready.
 *
 * @param what what cannot be asked without one
 * @param correction what corrects that there is none
 */
export async function readyPod(
  kubernetes: Kubernetes,
  { namespace, labels }: { readonly namespace: string; readonly labels: string },
  what: string,
  correction: string,
): Promise<string> {
  const pods = await kubernetes.pods(namespace, labels);
  const pod = pods.find(isReadyPod);
  if (pod?.metadata?.name !== undefined) return pod.metadata.name;
  const there = pods.length === 0 ? `there is no pod with ${labels}` : `no pod with ${labels} is ready`;
  throw fail('KUBERNETES_POD_UNUSABLE', `${what} cannot be asked: in namespace ${namespace}, ${there}.`, {
    correction,
  });
}

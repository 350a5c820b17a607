import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { judgeCeph, readCephStatus } from '../../../core/kubernetes/ceph.ts';
import type { Kubernetes } from '../../kubernetes/client.ts';
import { execInPod } from '../../kubernetes/exec.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { readyPod } from './ready-pod.ts';
import { contractOf, kubernetesOf, withoutKubernetes } from './session.ts';

/** Without quorum, `ceph` waits for monitors for ever: it gives up itself, before its connection is cut. */
const COMMAND = ['ceph', 'status', '--format', 'json', '--connect-timeout', '15'];
const COMMAND_MS = 25_000;
const TOOLBOX = 'app=rook-ceph-tools';
const NO_TOOLBOX =
  'Deploy the toolbox of Rook (deploy/examples/toolbox.yaml there), or correct `kubernetes.ceph`.';

/** Ceph itself is asked, in its toolbox: that its pods are ready proves nothing about its data. */
export const cephStatus: CheckFunction = {
  skip: (inventory) =>
    withoutKubernetes(inventory) ?? (inventory.kubernetes?.ceph ? undefined : 'the contract has no Ceph'),
  async run(context) {
    const kubernetes = await kubernetesOf(context);
    const { namespace, toolbox = TOOLBOX, allow } = contractOf(context).ceph!;
    return eachTarget(context, 'storage', [{ name: namespace }], async ({ name }) => {
      const pod = await readyPod(kubernetes, { namespace, labels: toolbox }, 'Ceph', NO_TOOLBOX);
      const answer = await ask(kubernetes, namespace, pod, context.signal);
      const evidence = await context.evidence(name, {
        asked: `${COMMAND.join(' ')}, in pod ${namespace}/${pod}`,
        answer,
      });
      const status = readCephStatus(answer);
      if (!status) throw told('it is not a status of Ceph that is known');
      const wrong = judgeCeph(status, allow);
      const { monitors, osds } = status;
      const right = `${monitors} monitors in quorum, a manager, ${osds.up} OSDs up and in, placement groups active and clean`;
      return { found: wrong.length > 0 ? { wrong } : { right }, evidence: [evidence] };
    });
  },
};

async function ask(
  kubernetes: Kubernetes,
  namespace: string,
  pod: string,
  signal: AbortSignal,
): Promise<Json> {
  const { exitCode, stdout, stderr } = await execInPod(
    kubernetes,
    { namespace, pod, command: COMMAND, timeoutMs: COMMAND_MS },
    signal,
  );
  if (exitCode !== 0)
    throw told(`it ended with ${exitCode}: ${stderr.replaceAll(/\s+/g, ' ').trim().slice(0, 300)}`);
  try {
    return JSON.parse(stdout) as Json;
  } catch {
    throw told('what it prints is no JSON');
  }
}

const told = (why: string): Error =>
  fail('KUBERNETES_COMMAND_FAILED', `Ceph did not tell its status: ${why}.`, {
    faultDomain: 'storage',
    correction:
      'Run `ceph status` in the toolbox. If it hangs, the monitors have no quorum: start those that are down (kubectl get pods -l app=rook-ceph-mon).',
  });

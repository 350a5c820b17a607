import type { Kubernetes as Contract } from '../../../contracts/inventory/platform.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { judgeCeph, readCephStatus } from '../../../core/kubernetes/ceph.ts';
import { execInPod } from '../../kubernetes/exec.ts';
import { runnersAt, type Runner } from '../../vantage/runners.ts';
import { eachTarget, type CheckContext, type CheckFunction } from '../check.ts';
import { readyPod } from './ready-pod.ts';
import { contractOf, kubernetesOf, withoutKubernetes } from './session.ts';
import { firstWords } from '../../../core/whole-words.ts';

type Ceph = NonNullable<Contract['ceph']>;

/** Without quorum, `ceph` waits for monitors for ever: it gives up itself, before its connection is cut. */
const COMMAND = ['ceph', 'status', '--format', 'json', '--connect-timeout', '15'];
const COMMAND_MS = 25_000;
const TOOLBOX = 'app=rook-ceph-tools';
const NO_TOOLBOX =
  'Deploy the toolbox of Rook (deploy/examples/toolbox.yaml there), or correct `kubernetes.ceph`.';

/** Ceph itself is asked: that its pods are ready, or its daemons run, proves nothing about its data. */
export const cephStatus: CheckFunction = {
  skip: (inventory) =>
    withoutKubernetes(inventory) ?? (inventory.kubernetes?.ceph ? undefined : 'the contract has no Ceph'),
  async run(context) {
    const ceph = contractOf(context).ceph!;
    const { namespace, from, user, allow } = ceph;
    const command = [...COMMAND, ...(user === undefined ? [] : ['--id', user])];
    return eachTarget(context, 'storage', [{ name: namespace ?? from! }], async ({ name }) => {
      const runner = await runnerOf(context, ceph);
      const answer = await ask(runner, command);
      const evidence = await context.evidence(name, {
        asked: `${command.join(' ')}, from ${runner.label}`,
        answer,
      });
      const status = readCephStatus(answer);
      if (!status) throw told(runner, 'it is not a status of Ceph that is known');
      const wrong = judgeCeph(status, allow);
      const { monitors, osds } = status;
      const right = `${monitors} monitors in quorum, a manager, ${osds.up} OSDs up and in, placement groups active and clean`;
      return { found: wrong.length > 0 ? { wrong } : { right }, evidence: [evidence] };
    });
  },
};

/** Where `ceph` is run: in its toolbox, or where the contract says. */
async function runnerOf(
  context: CheckContext,
  { namespace, toolbox = TOOLBOX, from }: Ceph,
): Promise<Runner> {
  if (namespace === undefined) return (await runnersAt(from!, context))[0];
  const kubernetes = await kubernetesOf(context);
  const pod = await readyPod(kubernetes, { namespace, labels: toolbox }, 'Ceph', NO_TOOLBOX);
  return {
    label: `pod ${namespace}/${pod}`,
    run: (command, timeoutMs) =>
      execInPod(kubernetes, { namespace, pod, command, timeoutMs }, context.signal),
  };
}

async function ask(runner: Runner, command: readonly string[]): Promise<Json> {
  const { exitCode, stdout, stderr } = await runner.run(command, COMMAND_MS);
  if (exitCode !== 0)
    throw told(
      runner,
      `it ended with ${exitCode}: ${firstWords(stderr.replaceAll(/\s+/g, ' ').trim(), 300)}`,
    );
  try {
    return JSON.parse(stdout) as Json;
  } catch {
    throw told(runner, 'what it prints is no JSON');
  }
}

const told = ({ label }: Runner, why: string): Error =>
  fail('CEPH_COMMAND_FAILED', `Ceph, asked from ${label}, did not tell its status: ${why}.`);

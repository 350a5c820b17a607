import { vantagePlace } from '../../contracts/inventory/vantage.ts';
import type { VantagePoint } from '../../contracts/inventory/platform.ts';
import { fail } from '../../core/errors/failure.ts';
import { execInPod } from '../kubernetes/exec.ts';
import { openKubernetes, type Opening } from '../kubernetes/open.ts';
import { isReadyPod } from '../kubernetes/ready.ts';
import { runOn } from '../ssh/run.ts';

/** How a command ended. */
interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A place that commands are run in. */
export interface Runner {
  /** As in `reached from vantage point jump`. */
  readonly label: string;
  /** Throws SSH_* and KUBERNETES_* errors. */
  run(words: readonly string[], wholeMs: number): Promise<Ran>;
}

/** Of what a place says: its own addresses alone are thousands where it is a node of Kubernetes. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Pods of one vantage point that commands are run in. */
const MOST_PODS = 16;

/** The places of a vantage point: one host, or each pod that is ready. Never none. Throws KUBERNETES_POD_UNUSABLE. */
export async function runnersAt(from: string, opening: Opening): Promise<readonly [Runner, ...Runner[]]> {
  const label = `vantage point ${from}`;
  const place = vantagePlace(opening.inventory, from);
  if ('pod' in place) return podsAt(label, place.pod, opening);
  const { hostKey, ...host } = place.host;
  const { secret, signal } = opening;
  return [
    {
      label,
      run: (words, wholeMs) =>
        runOn({ ...host, hostKey, label }, words, { secret, signal, wholeMs, maxBytes: MOST_BYTES }),
    },
  ];
}

async function podsAt(
  label: string,
  { namespace, labels, container }: NonNullable<VantagePoint['pod']>,
  opening: Opening,
): Promise<readonly [Runner, ...Runner[]]> {
  const kubernetes = await openKubernetes(opening);
  const selector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const pods = await kubernetes.pods(namespace, selector);
  const names = pods.filter(isReadyPod).flatMap(({ metadata }) => metadata?.name ?? []);
  const [first, ...others] = names.slice(0, MOST_PODS).map((pod): Runner => ({
    label: `${label} (pod ${namespace}/${pod})`,
    run: async (words, timeoutMs) => {
      const what = { namespace, pod, container, command: words, timeoutMs };
      return execInPod(kubernetes, what, opening.signal);
    },
  }));
  if (first) return [first, ...others];
  const there = pods.length === 0 ? `there is no pod with ${selector}` : `no pod with ${selector} is ready`;
  throw fail(
    'KUBERNETES_POD_UNUSABLE',
    `Nothing can be tried from ${label}: in namespace ${namespace}, ${there}.`,
    {
      correction: `Look at \`kubectl -n ${namespace} get pods -l ${selector}\`; or correct the vantage point in the contract.`,
    },
  );
}

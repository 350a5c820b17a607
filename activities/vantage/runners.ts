import { vantageHost, vantagePlace } from '../../contracts/inventory/vantage.ts';
import type { VantagePoint } from '../../contracts/inventory/platform.ts';
import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import { execInPod } from '../kubernetes/exec.ts';
import { openKubernetes, type Opening } from '../kubernetes/open.ts';
import { isReadyPod, isToRun } from '../kubernetes/ready.ts';
import { runOn, type RunOptions, type RunResult } from '../ssh/run.ts';

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
  /**
   * Throws SSH_* and KUBERNETES_* errors.
   *
   * @param input what the command reads
   */
  run(words: readonly string[], wholeMs: number, input?: string): Promise<Ran>;
}

/** Of what a place says: its own addresses alone are thousands where it is a node of Kubernetes. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Pods of one vantage point that commands are run in. */
const MOST_PODS = 16;

/**
 * The places of a vantage point: one host, or each pod that is ready. Never none. Throws KUBERNETES_POD_UNUSABLE.
 *
 * @param whole also where one of its pods is not ready: what the others reach says nothing of that one
 */
export async function runnersAt(
  from: string,
  opening: Opening,
  whole = false,
): Promise<readonly [Runner, ...Runner[]]> {
  const label = labelOf(from);
  const place = vantagePlace(opening.inventory, from);
  if ('pod' in place) return podsAt(label, place.pod, opening, whole);
  return [
    {
      label,
      run: (words, wholeMs, input = '') =>
        runAt(opening, from, words, { wholeMs, maxBytes: MOST_BYTES, input }),
    },
  ];
}

/** Runs words on the host of a vantage point that is reached by SSH. Throws SSH_* errors. */
export function runAt(
  { inventory, secret, signal }: Pick<Opening, 'inventory' | 'secret' | 'signal'>,
  from: string,
  words: readonly string[],
  options: Pick<RunOptions, 'input' | 'wholeMs' | 'maxBytes'>,
): Promise<RunResult> {
  const { hostKey, ...host } = vantageHost(inventory, from);
  return runOn({ ...host, hostKey, label: labelOf(from) }, words, { secret, signal, ...options });
}

const labelOf = (from: string): string => `vantage point ${from}`;

async function podsAt(
  label: string,
  { namespace, labels, container }: NonNullable<VantagePoint['pod']>,
  opening: Opening,
  whole: boolean,
): Promise<readonly [Runner, ...Runner[]]> {
  const kubernetes = await openKubernetes(opening);
  const selector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const pods = await kubernetes.pods(namespace, selector);
  const namesOf = (some: typeof pods) => some.flatMap(({ metadata }) => metadata?.name ?? []);
  const names = namesOf(pods.filter(isReadyPod));
  const down = namesOf(pods.filter((each) => isToRun(each) && !isReadyPod(each)));
  if (whole && names.length > 0 && down.length > 0) {
    throw unusable(`pod ${down.slice(0, 5).join(', ')} is not ready`);
  }
  const many = names.length > MOST_PODS ? `, one of ${MOST_PODS} of ${names.length}` : '';
  const [first, ...others] = names.slice(0, MOST_PODS).map((pod): Runner => ({
    label: `${label} (pod ${namespace}/${pod}${many})`,
    run: async (words, timeoutMs, input) => {
      const what = { namespace, pod, container, command: words, timeoutMs, input };
      return execInPod(kubernetes, what, opening.signal);
    },
  }));
  if (first) return [first, ...others];
  const there = pods.length === 0 ? `there is no pod with ${selector}` : `no pod with ${selector} is ready`;
  throw unusable(there);

  function unusable(why: string): RackwrightError {
    const what = names.length > 0 ? 'Not all' : 'Nothing';
    const message = `${what} can be tried from ${label}: in namespace ${namespace}, ${why}.`;
    return fail('KUBERNETES_POD_UNUSABLE', message, {
      correction: `Look at \`kubectl -n ${namespace} get pods -l ${selector}\`; or correct the vantage point in the contract.`,
    });
  }
}

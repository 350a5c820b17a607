import {
  ago,
  nameOf,
  saying,
  type ContainerStatus,
  type Found,
  type JobObject,
  type PodObject,
} from './shapes.ts';

/**
 * A container restarts repeatedly when it was started again twice or more within this time. That is told by its run
 * before the present one: if it had begun within the time, and was itself no first run, there were two.
 */
const RESTART_SECONDS = 3600;
/** For how long a pod of a job may be waiting for its start: jobs begin at any time. */
const JOB_START_SECONDS = 300;
/** For how long after its time a pod may still be there that is to be removed. */
const REMOVAL_SECONDS = 300;

/** What a container waits for that does not come by waiting. */
const STUCK: readonly string[] = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];
const IMAGE: readonly string[] = STUCK.slice(1, 7);
/** Controllers that put another pod in the place of one that has failed. */
const REPLACING: readonly string[] = ['ReplicaSet', 'StatefulSet', 'DaemonSet'];

/** What is wrong with a system pod; nothing where it runs and is ready, or where its work is done. */
export function judgePod(pod: PodObject, jobs: readonly JobObject[], now: Date): Found[] {
  const where = `kubectl -n ${pod.metadata?.namespace ?? 'default'}`;
  const name = nameOf(pod);
  const { phase = 'Unknown', reason, message } = pod.status ?? {};
  const ofJob = pod.metadata?.ownerReferences?.find(({ kind }) => kind === 'Job')?.name;
  const since = (time: Date | undefined): number => (time ? (now.getTime() - time.getTime()) / 1000 : 0);

  if (phase === 'Succeeded') return [];
  if (pod.metadata?.deletionTimestamp) {
    if (since(pod.metadata.deletionTimestamp) <= REMOVAL_SECONDS) return [];
    return [
      {
        message: `${name} was to be removed ${ago(pod.metadata.deletionTimestamp, now)} ago, and is still there.`,
        correction: `See whether its node answers (${where} describe pod ${name}); if that is gone for good: ${where} delete pod ${name} --force --grace-period=0.`,
      },
    ];
  }
  if (phase === 'Failed') {
    if (isReplaced(pod) || (ofJob !== undefined && !hasFailed(jobs, ofJob))) return [];
    return [
      {
        message: `${name} has failed${saying(reason, message ?? endOf(pod))}.`,
        correction: `Read why (${where} logs ${name} --all-containers; ${where} describe pod ${name}); when that is corrected: ${where} delete pod ${name}.`,
      },
    ];
  }
  const stuck = containersOf(pod).find(({ state }) => STUCK.includes(state?.waiting?.reason ?? ''));
  if (stuck) return [stuckAs(name, where, stuck)];
  const restarting = containersOf(pod).find((container) => restartsRepeatedly(container, now));
  if (restarting) return [restartingAs(name, where, restarting, now)];
  if (phase === 'Pending') {
    if (ofJob !== undefined && since(pod.metadata?.creationTimestamp) <= JOB_START_SECONDS) return [];
    const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const why =
      scheduled?.status === 'False'
        ? saying(scheduled.reason, scheduled.message)
        : saying(containersOf(pod).find(({ state }) => state?.waiting)?.state?.waiting?.reason);
    return [
      {
        message: `${name} is Pending${why}.`,
        correction: `${where} describe pod ${name} names what it waits for: a node with room, a volume, an image.`,
      },
    ];
  }
  if (phase !== 'Running') {
    return [
      {
        message: `The state of ${name} is not known: its node ${pod.spec?.nodeName ?? ''} does not report it${saying(reason, message)}.`,
        correction: `Look at the node: kubectl describe node ${pod.spec?.nodeName ?? ''}.`,
      },
    ];
  }
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True' || ofJob !== undefined) return [];
  return [
    {
      message: `${name} runs and is not ready${saying(ready?.reason, ready?.message)}.`,
      correction: `${where} describe pod ${name} shows the probe that fails; ${where} logs ${name} --all-containers why.`,
    },
  ];
}

const containersOf = ({ status }: PodObject): ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

/**
 * Whether its controller makes another in place of one that has failed, was evicted, or went down with its node. What
 * has failed may stay as an object long after that; what is missing, the workload itself tells.
 */
const isReplaced = ({ metadata }: PodObject): boolean =>
  (metadata?.ownerReferences ?? []).some(
    ({ apiVersion, kind = '' }) => apiVersion?.startsWith('apps/') && REPLACING.includes(kind),
  );

/**
 * Whether a job has given up, and no later one of the same cron job has done the work. One that still tries, or is
 * done, has lost a pod on the way at most.
 */
function hasFailed(jobs: readonly JobObject[], name: string): boolean {
  const job = jobs.find((each) => each.metadata?.name === name);
  if (!job) return true;
  return is(job, 'Failed') && !jobs.some((each) => is(each, 'Complete') && follows(each, job));
}

const is = ({ status }: JobObject, wanted: 'Complete' | 'Failed'): boolean =>
  status?.conditions?.some(({ type, status: held }) => type === wanted && held === 'True') ?? false;

/** Whether a job was made after another, by the same cron job. */
function follows(later: JobObject, earlier: JobObject): boolean {
  const by = ({ metadata }: JobObject): string | undefined =>
    metadata?.ownerReferences?.find(({ kind }) => kind === 'CronJob')?.name;
  const at = ({ metadata }: JobObject): number => metadata?.creationTimestamp?.getTime() ?? 0;
  return by(earlier) !== undefined && by(later) === by(earlier) && at(later) > at(earlier);
}

function restartsRepeatedly({ restartCount = 0, lastState }: ContainerStatus, now: Date): boolean {
  const before = lastState?.terminated?.startedAt;
  return (
    restartCount >= 2 && before !== undefined && now.getTime() - before.getTime() <= RESTART_SECONDS * 1000
  );
}

const endOf = (pod: PodObject): string | undefined => {
  const ended = containersOf(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  return ended && `container ${ended.name ?? ''} ended with ${ended.state?.terminated?.exitCode}`;
};

function stuckAs(
  pod: string,
  where: string,
  { name = '', state, restartCount, lastState }: ContainerStatus,
): Found {
  const { reason = '', message } = state?.waiting ?? {};
  if (IMAGE.includes(reason)) {
    return {
      message: `${pod}: the image of container ${name} does not come, ${reason}${saying(message)}.`,
      correction: `Correct the image's name, or give the registry what is missing; ${where} describe pod ${pod} shows what it answers.`,
      faultDomain: 'image-supply',
    };
  }
  const times = reason === 'CrashLoopBackOff' ? `, restarted ${restartCount ?? 0} times` : '';
  const end = lastState?.terminated;
  return {
    message: `${pod}: container ${name} is in ${reason}${times}${saying(end?.reason, message)}.`,
    correction: `${where} logs ${pod} -c ${name} --previous tells why it ends; ${where} describe pod ${pod} the rest.`,
  };
}

function restartingAs(
  pod: string,
  where: string,
  { name = '', restartCount = 0, lastState }: ContainerStatus,
  now: Date,
): Found {
  const { finishedAt, reason, exitCode } = lastState?.terminated ?? {};
  const last = finishedAt ? `, last ${ago(finishedAt, now)} ago` : '';
  return {
    message: `${pod}: container ${name} restarts again and again: ${restartCount} times in all${last}${saying(reason, `exit code ${exitCode ?? 'unknown'}`)}.`,
    correction: `${where} logs ${pod} -c ${name} --previous tells why it ends.`,
  };
}

import { describe, expect, it } from 'vitest';
import { judgePod } from '../../../core/kubernetes/pods.ts';
import type { ContainerStatus, JobObject, PodObject } from '../../../core/kubernetes/shapes.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1000);
const READY = { type: 'Ready', status: 'True' };
const pod = (status: NonNullable<PodObject['status']>, meta: PodObject['metadata'] = {}): PodObject => ({
  metadata: { name: 'p', namespace: 'kube-system', creationTimestamp: ago(86_400), ...meta },
  spec: { nodeName: 'c1' },
  status,
});
const running = (...containerStatuses: ContainerStatus[]): PodObject =>
  pod({ phase: 'Running', conditions: [READY], containerStatuses });
const waiting = (reason: string): ContainerStatus => ({ name: 'main', state: { waiting: { reason } } });
const restarted = (restartCount: number, began: number): ContainerStatus => ({
  name: 'main',
  restartCount,
  state: { running: { startedAt: ago(60) } },
  lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: ago(began), finishedAt: ago(70) } },
});
const OF_JOB = { ownerReferences: [{ kind: 'Job', name: 'j' }] };
const job = (type: string): JobObject => ({
  metadata: { name: 'j' },
  status: { conditions: [{ type, status: 'True' }] },
});
const jobOf = (cronJob: string, name: string, type: string, created: number): JobObject => ({
  metadata: {
    name,
    creationTimestamp: ago(created),
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: cronJob }],
  },
  status: type === '' ? {} : { conditions: [{ type, status: 'True' }] },
});
const LAST_FAILED = jobOf('nightly', 'j', 'Failed', 7200);
const by = (kind: string, apiVersion = 'apps/v1') => ({
  ownerReferences: [{ apiVersion, kind, name: 'w' }],
});
const EVICTED = { phase: 'Failed', reason: 'Evicted', message: 'low on memory' };
const messages = (each: PodObject, jobs: JobObject[] = []) =>
  judgePod(each, jobs, NOW).map(({ message }) => message);

describe('a system pod', () => {
  it.each<[string, PodObject, JobObject[]]>([
    ['runs and is ready', running({ name: 'main', restartCount: 0 }), []],
    ['is done', pod({ phase: 'Succeeded' }), []],
    ['was restarted long ago', running(restarted(40, 3601)), []],
    ['was restarted once', running(restarted(1, 600)), []],
    ['failed, and its job is done', pod({ phase: 'Failed' }, OF_JOB), [job('Complete')]],
    ['failed, and its job still tries', pod({ phase: 'Failed' }, OF_JOB), [{ metadata: { name: 'j' } }]],
    [
      'failed, and a later job of its cron job is done',
      pod({ phase: 'Failed' }, OF_JOB),
      [LAST_FAILED, jobOf('nightly', 'k', 'Complete', 3600)],
    ],
    [
      'failed before the cron job did its work, and failed again in another job',
      pod({ phase: 'Failed' }, OF_JOB),
      [LAST_FAILED, jobOf('nightly', 'k', 'Complete', 3600), jobOf('nightly', 'l', 'Failed', 60)],
    ],
    ['was evicted, and its replica set makes another', pod(EVICTED, by('ReplicaSet')), []],
    [
      'went down with its node, and its stateful set makes another',
      pod({ phase: 'Failed', reason: 'NodeShutdown' }, by('StatefulSet')),
      [],
    ],
    [
      'was not admitted, and its daemon set makes another',
      pod({ phase: 'Failed', reason: 'UnexpectedAdmissionError' }, by('DaemonSet')),
      [],
    ],
    [
      'is of a job, and about to start',
      pod({ phase: 'Pending' }, { ...OF_JOB, creationTimestamp: ago(300) }),
      [],
    ],
    ['is of a job, and has no probe to pass', pod({ phase: 'Running', conditions: [] }, OF_JOB), []],
    ['is being removed', pod({ phase: 'Running' }, { deletionTimestamp: ago(300) }), []],
  ])('that %s is right', (_what, each, jobs) => {
    expect(messages(each, jobs)).toEqual([]);
  });

  it.each<[string, PodObject, JobObject[], string]>([
    [
      'cannot be scheduled',
      pod({
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
        ],
      }),
      [],
      'p is Pending (Unschedulable: 0/3 nodes).',
    ],
    [
      'is of a job, and does not start',
      pod({ phase: 'Pending' }, { ...OF_JOB, creationTimestamp: ago(301) }),
      [],
      'p is Pending.',
    ],
    [
      'waits for its volumes',
      pod({ phase: 'Pending', containerStatuses: [waiting('ContainerCreating')] }),
      [],
      'p is Pending (ContainerCreating).',
    ],
    [
      'crashes',
      pod({ phase: 'Running', containerStatuses: [{ ...waiting('CrashLoopBackOff'), restartCount: 7 }] }),
      [],
      'p: container main is in CrashLoopBackOff, restarted 7 times.',
    ],
    [
      'crashes before it starts',
      pod({ phase: 'Pending', initContainerStatuses: [{ ...waiting('CrashLoopBackOff'), restartCount: 3 }] }),
      [],
      'p: container main is in CrashLoopBackOff, restarted 3 times.',
    ],
    [
      'has no image',
      pod({ phase: 'Pending', containerStatuses: [waiting('ErrImagePull')] }),
      [],
      'p: the image of container main does not come, ErrImagePull.',
    ],
    [
      'lacks a config map',
      pod({ phase: 'Pending', containerStatuses: [waiting('CreateContainerConfigError')] }),
      [],
      'p: container main is in CreateContainerConfigError.',
    ],
    [
      'was evicted',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
      [],
      'p has failed (Evicted: low on memory).',
    ],
    [
      'ended badly',
      pod({ phase: 'Failed', containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 3 } } }] }),
      [],
      'p has failed (container main ended with 3).',
    ],
    ['is of a job that gave up', pod({ phase: 'Failed' }, OF_JOB), [job('Failed')], 'p has failed.'],
    ['is of a job that is gone', pod({ phase: 'Failed' }, OF_JOB), [], 'p has failed.'],
    [
      'is of the last job of a cron job',
      pod({ phase: 'Failed' }, OF_JOB),
      [jobOf('nightly', 'i', 'Complete', 9000), LAST_FAILED],
      'p has failed.',
    ],
    [
      'is of a cron job whose next job is still at it',
      pod({ phase: 'Failed' }, OF_JOB),
      [LAST_FAILED, jobOf('nightly', 'k', '', 60)],
      'p has failed.',
    ],
    [
      'is of a job that gave up, where that of another cron job is done',
      pod({ phase: 'Failed' }, OF_JOB),
      [LAST_FAILED, jobOf('hourly', 'k', 'Complete', 60)],
      'p has failed.',
    ],
    [
      'is of a job that gave up, where another is done, and both are of no cron job',
      pod({ phase: 'Failed' }, OF_JOB),
      [job('Failed'), { ...job('Complete'), metadata: { name: 'k', creationTimestamp: ago(60) } }],
      'p has failed.',
    ],
    ['was evicted, of a node', pod(EVICTED, by('Node', 'v1')), [], 'p has failed (Evicted: low on memory).'],
    [
      'was evicted, of a controller that nobody counts',
      pod(EVICTED, by('StatefulSet', 'apps.kruise.io/v1beta1')),
      [],
      'p has failed (Evicted: low on memory).',
    ],
    [
      'takes the place of one that was evicted, and crashes',
      pod(
        { phase: 'Running', containerStatuses: [{ ...waiting('CrashLoopBackOff'), restartCount: 7 }] },
        by('ReplicaSet'),
      ),
      [],
      'p: container main is in CrashLoopBackOff, restarted 7 times.',
    ],
    [
      'is not ready',
      pod({
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
      }),
      [],
      'p runs and is not ready (ContainersNotReady).',
    ],
    [
      'restarts again and again',
      running(restarted(2, 3600)),
      [],
      'p: container main restarts again and again: 2 times in all, last 70 s ago (Error: exit code 1).',
    ],
    [
      'is on a node that is gone',
      pod({ phase: 'Unknown', reason: 'NodeLost' }),
      [],
      'The state of p is not known: its node c1 does not report it (NodeLost).',
    ],
    [
      'cannot be removed',
      pod({ phase: 'Running' }, { deletionTimestamp: ago(301) }),
      [],
      'p was to be removed 5 min ago, and is still there.',
    ],
  ])('that %s is told so', (_what, each, jobs, message) => {
    expect(messages(each, jobs)).toEqual([message]);
  });

  it('whose image is missing is the fault of who supplies images', () => {
    const [found] = judgePod(
      pod({ phase: 'Pending', containerStatuses: [waiting('ImagePullBackOff')] }),
      [],
      NOW,
    );
    expect(found?.faultDomain).toBe('image-supply');
  });
});

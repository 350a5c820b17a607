import { describe, expect, it } from 'vitest';
import { judgeDaemonSet, judgeDeployment, judgeStatefulSet } from '../../../core/kubernetes/workloads.ts';

const META = { name: 'w', namespace: 'kube-system', generation: 4 };
const STALE = 'its controller has not acted on the last change (generation 4, seen 3)';

/** Of three replicas: those from the partition on are to have its present form. */
const partitioned = (partition: number, updatedReplicas: number): Parameters<typeof judgeStatefulSet>[0] => ({
  metadata: META,
  spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } },
  status: {
    observedGeneration: 4,
    readyReplicas: 3,
    updatedReplicas,
    currentRevision: 'a',
    updateRevision: 'b',
  },
});

describe('workloads', () => {
  it.each<[string, Parameters<typeof judgeDeployment>[0], string[]]>([
    [
      'complete',
      {
        metadata: META,
        spec: { replicas: 2 },
        status: { observedGeneration: 4, availableReplicas: 2, updatedReplicas: 2 },
      },
      [],
    ],
    ['of none', { metadata: META, spec: { replicas: 0 }, status: { observedGeneration: 4 } }, []],
    [
      'one replica short',
      {
        metadata: META,
        spec: { replicas: 2 },
        status: { observedGeneration: 4, availableReplicas: 1, updatedReplicas: 2 },
      },
      ['Deployment w has 1 of 2 replicas available.'],
    ],
    [
      'not rolled out',
      {
        metadata: META,
        spec: { replicas: 2 },
        status: { observedGeneration: 4, availableReplicas: 2, updatedReplicas: 1 },
      },
      ['Deployment w is not rolled out: 1 of 2 replicas are of its present form.'],
    ],
    [
      'never looked at',
      { metadata: META, status: { observedGeneration: 3, availableReplicas: 1 } },
      [`Deployment w: ${STALE}.`],
    ],
    [
      'without a status',
      { metadata: { ...META, generation: 1 } },
      ['Deployment w: its controller has not acted on the last change (generation 1, seen 0).'],
    ],
  ])('a deployment: %s', (_what, object, messages) => {
    expect(judgeDeployment(object).map(({ message }) => message)).toEqual(messages);
  });

  it.each<[string, Parameters<typeof judgeStatefulSet>[0], string[]]>([
    [
      'complete',
      {
        metadata: META,
        spec: { replicas: 1 },
        status: { observedGeneration: 4, readyReplicas: 1, currentRevision: 'a', updateRevision: 'a' },
      },
      [],
    ],
    [
      'short',
      { metadata: META, spec: { replicas: 3 }, status: { observedGeneration: 4 } },
      ['StatefulSet w has 0 of 3 replicas ready.'],
    ],
    [
      'half rolled out',
      {
        metadata: META,
        status: { observedGeneration: 4, readyReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      },
      ['StatefulSet w is not rolled out: some replicas are of its form before the last change.'],
    ],
    [
      'rolled out by hand',
      {
        metadata: META,
        spec: { updateStrategy: { type: 'OnDelete' } },
        status: { observedGeneration: 4, readyReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      },
      [],
    ],
    ['rolled out as far as its partition', partitioned(2, 1), []],
    ['held back by its partition', partitioned(3, 0), []],
    [
      'not rolled out as far as its partition',
      partitioned(1, 1),
      ['StatefulSet w is not rolled out: 1 of the 2 replicas from its partition on are of its present form.'],
    ],
    [
      'not rolled out, with a partition that keeps none',
      partitioned(0, 2),
      ['StatefulSet w is not rolled out: some replicas are of its form before the last change.'],
    ],
  ])('a stateful set: %s', (_what, object, messages) => {
    expect(judgeStatefulSet(object).map(({ message }) => message)).toEqual(messages);
  });

  it.each<[string, Parameters<typeof judgeDaemonSet>[0], string[]]>([
    [
      'complete',
      {
        metadata: META,
        status: {
          observedGeneration: 4,
          desiredNumberScheduled: 3,
          numberAvailable: 3,
          updatedNumberScheduled: 3,
        },
      },
      [],
    ],
    [
      'with no node to be on',
      { metadata: META, status: { observedGeneration: 4, desiredNumberScheduled: 0 } },
      [],
    ],
    [
      'one node short',
      {
        metadata: META,
        status: {
          observedGeneration: 4,
          desiredNumberScheduled: 3,
          numberAvailable: 2,
          updatedNumberScheduled: 3,
        },
      },
      ['DaemonSet w has 2 of 3 nodes served.'],
    ],
    [
      'half rolled out',
      {
        metadata: META,
        status: {
          observedGeneration: 4,
          desiredNumberScheduled: 3,
          numberAvailable: 3,
          updatedNumberScheduled: 1,
        },
      },
      ['DaemonSet w is not rolled out: 1 of 3 nodes have its present form.'],
    ],
  ])('a daemon set: %s', (_what, object, messages) => {
    expect(judgeDaemonSet(object).map(({ message }) => message)).toEqual(messages);
  });
});

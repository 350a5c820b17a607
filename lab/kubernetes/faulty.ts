import type { Faults } from '../faults.ts';
import { VICTIM, type Objects, type Wire } from './objects.ts';

type Change = (wire: Wire, now: number) => void;

const before = (now: number, seconds: number): string => new Date(now - seconds * 1000).toISOString();
const status = (wire: Wire): { [field: string]: unknown } =>
  (wire['status'] ??= {}) as { [field: string]: unknown };

const conditioned =
  (type: string, value: string, reason: string, message: string): Change =>
  (wire) => {
    const conditions = (status(wire)['conditions'] ?? []) as { type: string }[];
    status(wire)['conditions'] = [
      ...conditions.filter((each) => each.type !== type),
      { type, status: value, reason, message },
    ];
  };

const container = (over: { [field: string]: unknown }): { [field: string]: unknown } => ({
  name: 'main',
  ready: false,
  restartCount: 0,
  image: '',
  imageID: '',
  state: { running: {} },
  ...over,
});

const waiting =
  (phase: string, reason: string, message: string, restartCount: number): Change =>
  (wire) => {
    conditioned('Ready', 'False', 'ContainersNotReady', 'containers with unready status: [main]')(wire, 0);
    status(wire)['phase'] = phase;
    status(wire)['containerStatuses'] = [
      container({
        restartCount,
        state: { waiting: { reason, message } },
        ...(restartCount > 0 ? { lastState: { terminated: { exitCode: 1, reason: 'Error' } } } : {}),
      }),
    ];
  };

/** What a switch does to the objects of one name; nothing: it is not there. */
const CHANGES: {
  readonly [fault: string]: readonly [resource: string, name: string, change: Change | 'remove'];
} = {
  nodeMissing: ['nodes', VICTIM.node, 'remove'],
  nodeNotReady: [
    'nodes',
    VICTIM.node,
    conditioned('Ready', 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'),
  ],
  nodeSilent: [
    'leases',
    VICTIM.node,
    (wire, now) => ((wire['spec'] as { renewTime: string }).renewTime = before(now, 3600)),
  ],
  nodeDiskPressure: [
    'nodes',
    VICTIM.node,
    conditioned('DiskPressure', 'True', 'KubeletHasDiskPressure', 'kubelet has disk pressure'),
  ],
  nodeCordoned: [
    'nodes',
    VICTIM.node,
    (wire) => ((wire['spec'] as { unschedulable?: boolean }).unschedulable = true),
  ],
  podPending: [
    'pods',
    VICTIM.pod,
    (wire) => {
      wire['status'] = { phase: 'Pending' };
      conditioned(
        'PodScheduled',
        'False',
        'Unschedulable',
        '0/3 nodes are available: 3 Insufficient cpu.',
      )(wire, 0);
    },
  ],
  podCrashLoop: [
    'pods',
    VICTIM.pod,
    waiting('Running', 'CrashLoopBackOff', 'back-off 5m0s restarting failed container=main', 14),
  ],
  podImageMissing: [
    'pods',
    VICTIM.pod,
    waiting('Pending', 'ImagePullBackOff', 'Back-off pulling image "registry.lab/coredns:1"', 0),
  ],
  podFailed: [
    'pods',
    `kube-scheduler-${VICTIM.node}`,
    (wire) =>
      (wire['status'] = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }),
  ],
  podNotReady: [
    'pods',
    VICTIM.pod,
    conditioned('Ready', 'False', 'ContainersNotReady', 'containers with unready status: [main]'),
  ],
  podRestarts: [
    'pods',
    VICTIM.pod,
    (wire, now) => {
      status(wire)['containerStatuses'] = [
        container({
          ready: true,
          restartCount: 41,
          state: { running: { startedAt: before(now, 100) } },
          lastState: {
            terminated: {
              exitCode: 137,
              reason: 'OOMKilled',
              startedAt: before(now, 400),
              finishedAt: before(now, 110),
            },
          },
        }),
      ];
    },
  ],
  containerOther: [
    'pods',
    VICTIM.pod,
    (wire) => {
      for (const each of status(wire)['containerStatuses'] as { imageID: string }[])
        each.imageID = each.imageID.replace(/sha256:.*/, `sha256:${'0'.repeat(64)}`);
    },
  ],
  containerTag: [
    'pods',
    VICTIM.pod,
    (wire) => {
      for (const each of (wire['spec'] as { containers: { image: string }[] }).containers)
        each.image = each.image.replace(/@.*/, '');
    },
  ],
  workloadShort: [
    'deployments',
    'coredns',
    (wire) => Object.assign(status(wire), { availableReplicas: 1, readyReplicas: 1 }),
  ],
  storageClassMissing: ['storageclasses', 'rbd', 'remove'],
  storageClassOther: ['storageclasses', 'rbd', (wire) => (wire['provisioner'] = 'rancher.io/local-path')],
  claimPending: [
    'persistentvolumeclaims',
    'glance-images',
    (wire) => {
      wire['status'] = { phase: 'Pending' };
      delete (wire['spec'] as { volumeName?: string }).volumeName;
    },
  ],
  toolboxGone: ['pods', 'rook-ceph-tools-5c8b7f6d94-m4zjt', 'remove'],
};

/** The objects of a resource as the API shows them now. Kubelets that live have just renewed their lease. */
export function shown(objects: Objects, resource: string, faults: Faults): Wire[] {
  const now = Date.now();
  let found = structuredClone(objects[resource] ?? []);
  if (resource === 'leases')
    for (const lease of found) (lease['spec'] as { renewTime: string }).renewTime = before(now, 5);
  for (const [fault, [of, name, change]] of Object.entries(CHANGES)) {
    const victim = of === resource ? found.find(({ metadata }) => metadata.name === name) : undefined;
    if (!victim || !faults.on(fault)) continue;
    if (change === 'remove') found = found.filter((each) => each !== victim);
    else change(victim, now);
  }
  return found;
}

import { createHash } from 'node:crypto';

/** Objects of the Kubernetes API as they travel. */
export interface Wire {
  [field: string]: unknown;
  metadata: {
    name: string;
    namespace?: string;
    labels?: { [key: string]: string };
    [field: string]: unknown;
  };
}

/** The objects of a cluster by the plural of their kind. */
export type Objects = { [resource: string]: Wire[] };

export const CONTROLLERS = ['controller-1', 'controller-2', 'controller-3'] as const;
/** The last controller, the first pod of coredns: what faults happen to. */
export const VICTIM = { node: 'controller-3', pod: 'coredns-6f6b679f8f-2xkfl' } as const;

const CEPH = 'rook-ceph';
const OPENSTACK = 'openstack';
const CONDUCTORS = ['ironic-conductor-0', 'ironic-conductor-1'];

const addressOf = (i: number): string => `127.0.0.${i + 1}`;
export const controllers = (): { name: string; address: string }[] =>
  CONTROLLERS.map((name, i) => ({ name, address: addressOf(i) }));

const condition = (type: string, status: string, reason: string, at: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: at,
});

const node = (name: string, i: number, at: string): Wire => ({
  metadata: { name, uid: `node-${i}`, creationTimestamp: at, labels: { 'kubernetes.io/hostname': name } },
  spec: { podCIDR: `10.244.${i}.0/24` },
  status: {
    addresses: [
      { type: 'InternalIP', address: addressOf(i) },
      { type: 'Hostname', address: name },
    ],
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', at),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', at),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', at),
      condition('Ready', 'True', 'KubeletReady', at),
    ],
    nodeInfo: { kubeletVersion: 'v1.36.3', machineID: `lab-${name}` },
  },
});

/** The image of a pod's container, and the digest that it has in the registry. */
const imageOf = (pod: string): { name: string; digest: string } => {
  const name = `registry.lab/${pod.replace(/-[^-]+-[^-]+$/, '')}:1`;
  return { name, digest: `sha256:${createHash('sha256').update(name).digest('hex')}` };
};

/** What was recorded of the images that pods of a cluster run. */
export function containerImages({ pods = [] }: Objects): { image: string; digest: string }[] {
  const images = pods.map(({ metadata }) => imageOf(metadata.name));
  return [...new Map(images.map(({ name, digest }) => [name, { image: name, digest }])).values()];
}

interface PodParts {
  name: string;
  namespace: string;
  node: string;
  at: string;
  owner?: { kind: string; name: string };
  labels?: { [key: string]: string };
  claim?: string;
}

const pod = ({ name, namespace, node: nodeName, at, owner, labels, claim }: PodParts): Wire => ({
  metadata: {
    name,
    namespace,
    uid: `pod-${name}`,
    creationTimestamp: at,
    ...(labels ? { labels } : {}),
    ...(owner ? { ownerReferences: [{ apiVersion: 'apps/v1', uid: `owner-${owner.name}`, ...owner }] } : {}),
  },
  spec: {
    nodeName,
    containers: [{ name: 'main', image: `${imageOf(name).name}@${imageOf(name).digest}` }],
    ...(claim === undefined
      ? {}
      : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
  },
  status: {
    phase: 'Running',
    conditions: [condition('PodScheduled', 'True', '', at), condition('Ready', 'True', '', at)],
    containerStatuses: [
      {
        name: 'main',
        ready: true,
        restartCount: 0,
        image: imageOf(name).name,
        imageID: `${imageOf(name).name.replace(/:1$/, '')}@${imageOf(name).digest}`,
        state: { running: { startedAt: at } },
      },
    ],
  },
});

const workload = (kind: string, name: string, namespace: string, replicas: number, at: string): Wire => ({
  metadata: { name, namespace, uid: `${kind}-${name}`, creationTimestamp: at, generation: 1 },
  spec: {
    ...(kind === 'DaemonSet' ? {} : { replicas }),
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [] } },
  },
  status:
    kind === 'DaemonSet'
      ? {
          observedGeneration: 1,
          currentNumberScheduled: replicas,
          desiredNumberScheduled: replicas,
          numberMisscheduled: 0,
          numberReady: replicas,
          numberAvailable: replicas,
          updatedNumberScheduled: replicas,
        }
      : {
          observedGeneration: 1,
          replicas,
          readyReplicas: replicas,
          availableReplicas: replicas,
          updatedReplicas: replicas,
          ...(kind === 'StatefulSet' ? { currentRevision: `${name}-1`, updateRevision: `${name}-1` } : {}),
        },
});

const storageClass = (name: string, provisioner: string, isDefault: boolean, at: string): Wire => ({
  metadata: {
    name,
    creationTimestamp: at,
    annotations: isDefault ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : {},
  },
  provisioner,
  reclaimPolicy: 'Delete',
  volumeBindingMode: name === 'local' ? 'WaitForFirstConsumer' : 'Immediate',
});

const claim = (name: string, storageClassName: string, phase: string, at: string): Wire => ({
  metadata: { name, namespace: OPENSTACK, uid: `claim-${name}`, creationTimestamp: at },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName,
    ...(phase === 'Bound' ? { volumeName: `pvc-${name}` } : {}),
    resources: { requests: { storage: '10Gi' } },
  },
  status: { phase },
});

/** A cluster of three controllers with Ceph by Rook, as it came up. */
export function newObjects(at: string): Objects {
  const [c1, c2, c3] = CONTROLLERS;
  const coredns = { namespace: 'kube-system', at, owner: { kind: 'ReplicaSet', name: 'coredns-6f6b679f8f' } };
  const finished = pod({
    name: 'etcd-snapshot-29406120-x7v2p',
    namespace: 'kube-system',
    node: c1,
    at,
    owner: { kind: 'Job', name: 'etcd-snapshot-29406120' },
  });
  finished['status'] = { phase: 'Succeeded' };
  return {
    namespaces: ['default', 'kube-system', 'kube-node-lease', CEPH, OPENSTACK].map((name) => ({
      metadata: { name, creationTimestamp: at },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })),
    nodes: CONTROLLERS.map((name, i) => node(name, i, at)),
    leases: CONTROLLERS.map((name) => ({
      metadata: { name, namespace: 'kube-node-lease', creationTimestamp: at },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: at },
    })),
    pods: [
      ...CONTROLLERS.flatMap((name) =>
        ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((what) =>
          pod({
            name: `${what}-${name}`,
            namespace: 'kube-system',
            node: name,
            at,
            owner: { kind: 'Node', name },
          }),
        ),
      ),
      pod({ ...coredns, name: VICTIM.pod, node: c2 }),
      pod({ ...coredns, name: 'coredns-6f6b679f8f-9vbqs', node: c3 }),
      finished,
      ...['a', 'b', 'c'].map((id, i) =>
        pod({
          name: `rook-ceph-mon-${id}-7d5f8b6c9d-kq2w${i}`,
          namespace: CEPH,
          node: CONTROLLERS[i]!,
          at,
          labels: { app: 'rook-ceph-mon' },
          owner: { kind: 'ReplicaSet', name: `rook-ceph-mon-${id}-7d5f8b6c9d` },
        }),
      ),
      pod({
        name: 'rook-ceph-tools-5c8b7f6d94-m4zjt',
        namespace: CEPH,
        node: c1,
        at,
        labels: { app: 'rook-ceph-tools' },
        owner: { kind: 'ReplicaSet', name: 'rook-ceph-tools-5c8b7f6d94' },
      }),
      ...CONDUCTORS.map((name, i) =>
        pod({
          name,
          namespace: OPENSTACK,
          node: CONTROLLERS[i]!,
          at,
          labels: { app: 'ironic-conductor' },
          owner: { kind: 'StatefulSet', name: 'ironic-conductor' },
        }),
      ),
      pod({ name: 'mariadb-0', namespace: OPENSTACK, node: c1, at, claim: 'data-mariadb-0' }),
      pod({
        name: 'glance-api-0',
        namespace: OPENSTACK,
        node: c2,
        at,
        claim: 'glance-images',
        labels: { app: 'glance-api' },
        owner: { kind: 'StatefulSet', name: 'glance-api' },
      }),
    ],
    jobs: [
      {
        metadata: { name: 'etcd-snapshot-29406120', namespace: 'kube-system', creationTimestamp: at },
        status: { succeeded: 1, conditions: [condition('Complete', 'True', '', at)] },
      },
    ],
    deployments: [
      workload('Deployment', 'coredns', 'kube-system', 2, at),
      workload('Deployment', 'rook-ceph-tools', CEPH, 1, at),
    ],
    statefulsets: [
      workload('StatefulSet', 'mariadb', OPENSTACK, 1, at),
      workload('StatefulSet', 'glance-api', OPENSTACK, 1, at),
      workload('StatefulSet', 'ironic-conductor', OPENSTACK, CONDUCTORS.length, at),
    ],
    daemonsets: [workload('DaemonSet', 'kube-proxy', 'kube-system', 3, at)],
    storageclasses: [
      storageClass('rbd', 'rook-ceph.rbd.csi.ceph.com', true, at),
      storageClass('local', 'kubernetes.io/no-provisioner', false, at),
    ],
    persistentvolumeclaims: [
      claim('data-mariadb-0', 'rbd', 'Bound', at),
      claim('glance-images', 'rbd', 'Bound', at),
      claim('scratch', 'local', 'Pending', at),
    ],
  };
}

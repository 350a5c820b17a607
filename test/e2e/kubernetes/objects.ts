/** Objects of a small cluster, as kubelets and controllers would have written them. */

interface Made {
  metadata: { name: string; [field: string]: unknown };
  status?: object;
  [field: string]: unknown;
}

export const CONTROLLERS = ['controller-1', 'controller-2', 'controller-3'] as const;

const addressOf = (name: string): string => `127.0.0.${10 + Number(name.at(-1))}`;
const since = new Date(Date.now() - 3_600_000).toISOString();
const condition = (type: string, status: string, reason = 'Test') => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: since,
});

export const nodeStatus = (name: string, over: { [type: string]: string } = {}) => ({
  addresses: [{ type: 'InternalIP', address: addressOf(name) }],
  // Nobody listens there.
  daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
  conditions: Object.entries({ MemoryPressure: 'False', DiskPressure: 'False', Ready: 'True', ...over }).map(
    ([type, status]) => condition(type, status),
  ),
});

export const node = (name: string): Made => ({ metadata: { name }, status: nodeStatus(name) });

const lease = (name: string): Made => ({
  metadata: { name },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
});

/** What was pulled of the image that all pods run. */
export const DIGEST = `sha256:${'5'.repeat(64)}`;
const container = { image: 'registry.test/main:1', imageID: `registry.test/main@${DIGEST}`, name: 'main' };

export const pod = (name: string, namespace: string, labels: { [key: string]: string } = {}): Made => ({
  metadata: { name, namespace, labels },
  spec: {
    nodeName: 'controller-1',
    containers: [{ name: 'main', image: 'registry.test/main:1' }],
  },
  status: {
    phase: 'Running',
    conditions: [condition('PodScheduled', 'True'), condition('Ready', 'True')],
    containerStatuses: [
      { ...container, ready: true, restartCount: 0, state: { running: { startedAt: since } } },
    ],
  },
});

export const unschedulable = {
  phase: 'Pending',
  conditions: [
    { ...condition('PodScheduled', 'False', 'Unschedulable'), message: '0/3 nodes are available' },
  ],
  containerStatuses: null,
};

export const waiting = (reason: string, restartCount: number) => ({
  phase: restartCount > 0 ? 'Running' : 'Pending',
  conditions: [condition('Ready', 'False', 'ContainersNotReady')],
  containerStatuses: [
    { ...container, ready: false, restartCount, state: { waiting: { reason, message: 'back-off' } } },
  ],
});

export const restarting = () => {
  const before = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
  return {
    containerStatuses: [
      {
        ...container,
        ready: true,
        restartCount: 12,
        state: { running: { startedAt: before(30) } },
        lastState: {
          terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: before(300), finishedAt: before(40) },
        },
      },
    ],
  };
};

const workload = (name: string, namespace: string, spec: object, status: object): Made => ({
  metadata: { name, namespace },
  spec: {
    ...spec,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'registry.test/main:1' }] },
    },
  },
  status: { observedGeneration: 1, ...status },
});

export const storageClass = (name: string, provisioner: string, isDefault: boolean): Made => ({
  metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) } },
  provisioner,
  volumeBindingMode: name === 'local' ? 'WaitForFirstConsumer' : 'Immediate',
});

const claim = (name: string, storageClassName: string, phase: string): Made => ({
  metadata: { name, namespace: 'openstack' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName,
    resources: { requests: { storage: '1Gi' } },
  },
  status: { phase },
});

const APPS = '/apis/apps/v1/namespaces';
const SYSTEM_PODS = '/api/v1/namespaces/kube-system/pods';
const CLAIMS = '/api/v1/namespaces/openstack/persistentvolumeclaims';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

/** Where each is made, in the order that they are made in. */
export const CLUSTER: readonly (readonly [collection: string, object: Made])[] = [
  ['/api/v1/namespaces', { metadata: { name: 'openstack' } }],
  ...CONTROLLERS.map((name) => ['/api/v1/nodes', node(name)] as const),
  ...CONTROLLERS.map(
    (name) => ['/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', lease(name)] as const,
  ),
  ...['coredns-6f6b679f8f-2xkfl', 'coredns-6f6b679f8f-9vbqs', 'etcd-1', 'etcd-2', 'etcd-3'].map(
    (name) => [SYSTEM_PODS, pod(name, 'kube-system')] as const,
  ),
  [SYSTEM_PODS, { ...pod('snapshot-1', 'kube-system'), status: { phase: 'Succeeded' } }],
  ['/api/v1/namespaces/openstack/pods', pod('mariadb-0', 'openstack')],
  [
    `${APPS}/kube-system/deployments`,
    workload(
      'coredns',
      'kube-system',
      { replicas: 2 },
      { replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 },
    ),
  ],
  [
    `${APPS}/kube-system/daemonsets`,
    workload(
      'kube-proxy',
      'kube-system',
      {},
      {
        currentNumberScheduled: 3,
        desiredNumberScheduled: 3,
        numberMisscheduled: 0,
        numberReady: 3,
        numberAvailable: 3,
        updatedNumberScheduled: 3,
      },
    ),
  ],
  [
    `${APPS}/openstack/statefulsets`,
    workload(
      'mariadb',
      'openstack',
      { replicas: 1, serviceName: 'mariadb' },
      { replicas: 1, readyReplicas: 1, availableReplicas: 1, currentRevision: 'a', updateRevision: 'a' },
    ),
  ],
  [CLASSES, storageClass('rbd', 'rbd.csi.ceph.com', true)],
  [CLASSES, storageClass('local', 'kubernetes.io/no-provisioner', false)],
  [CLAIMS, claim('glance-images', 'rbd', 'Bound')],
  [CLAIMS, claim('scratch', 'local', 'Pending')],
];

const READER = { kind: 'User', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' };
const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });

export const binding: Made = {
  metadata: { name: 'reader' },
  subjects: [READER],
  roleRef: roleRef('ClusterRole', 'rackwright-acceptance'),
};

export const execRole: Made = {
  metadata: { name: 'exec' },
  rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] }],
};

export const execBinding: Made = {
  metadata: { name: 'exec' },
  subjects: [READER],
  roleRef: roleRef('Role', 'exec'),
};

/** A pod whose container runs another image than the others. */
export const runningOther = () => ({
  containerStatuses: [
    {
      ...container,
      imageID: `registry.test/main@sha256:${'6'.repeat(64)}`,
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: since } },
    },
  ],
});

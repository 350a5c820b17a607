import { check, type Check } from './check.ts';

/** Gate 2: Kubernetes, and the storage that it gives. */
export const KUBERNETES_CHECKS: readonly Check[] = [
  check({
    id: 'kubernetes-api',
    gate: 2,
    title: 'The Kubernetes API is ready',
    shows: 'The API server passes its own checks (`/readyz`), that of etcd among them.',
    from: 'worker',
    faultDomain: 'kubernetes',
  }),
  check({
    id: 'kubernetes-nodes',
    gate: 2,
    title: 'Controllers are nodes, and Ready',
    shows:
      'Each controller of the contract is a node that is Ready, with a kubelet that gave a sign of life within two minutes, under no pressure and not cordoned.',
    from: 'worker',
    faultDomain: 'kubernetes',
  }),
  check({
    id: 'kubernetes-pods',
    gate: 2,
    title: 'System pods run',
    shows:
      'In `kube-system`, the `systemNamespaces` of the contract and that of Ceph, no pod is Pending, crashing, without its image, failed, not ready, or was started again twice or more within an hour.',
    from: 'worker',
    faultDomain: 'kubernetes',
  }),
  check({
    id: 'kubernetes-workloads',
    gate: 2,
    title: 'System workloads are complete',
    shows:
      'Deployments, stateful sets and daemon sets of those namespaces have as many pods as they are to have, in their present form.',
    from: 'worker',
    faultDomain: 'kubernetes',
  }),
  check({
    id: 'storage-classes',
    gate: 2,
    title: 'Storage classes are there',
    shows: 'The storage classes of the contract exist, with the provisioner and the default that it says.',
    from: 'worker',
    faultDomain: 'storage',
    requirements: ['N-003'],
  }),
  check({
    id: 'claims-bound',
    gate: 2,
    title: 'Claims are bound',
    shows:
      'Every claim of those namespaces has its volume. One that waits for its first pod, by its class, is right to have none.',
    from: 'worker',
    faultDomain: 'storage',
  }),
  check({
    id: 'ceph-status',
    gate: 2,
    title: 'Ceph is healthy, as it says itself',
    shows:
      '`ceph status`: all monitors in quorum, an active manager, OSDs up and in, placement groups active and clean, no warning that the contract does not allow.',
    from: "Ceph's toolbox pod, or the vantage point of `kubernetes.ceph.from`",
    faultDomain: 'storage',
  }),
];

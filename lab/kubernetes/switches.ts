import type { FaultSwitch } from '../fault-switches.ts';

const flag = (name: string, description: string): FaultSwitch => ({ name, value: 'flag', description });

/** Every switch that `PUT /services/kubernetes/faults` takes. */
export const KUBERNETES_SWITCHES: readonly FaultSwitch[] = [
  flag('apiDown', 'the API drops every connection'),
  { name: 'apiUnavailable', value: 'count', description: 'any request is answered with 503' },
  { name: 'apiSlow', value: 'milliseconds', description: 'the API takes this much longer for every answer' },
  flag('apiUnauthorized', 'the right token is answered with 401: it has expired'),
  flag('apiForbidden', 'every list is answered with 403: the account may not read it'),
  flag('apiNotReady', 'the API server says that it is not ready: etcd does not answer it'),
  flag('nodeMissing', 'the last controller is no node of the cluster'),
  flag('nodeNotReady', 'the last controller is not Ready: its kubelet does not report'),
  flag(
    'nodeSilent',
    'the kubelet of the last controller is dead, and nobody has noticed: it is shown as Ready',
  ),
  flag('nodeDiskPressure', 'the last controller runs out of room on its disks'),
  flag('nodeCordoned', 'the last controller is cordoned'),
  flag('podPending', 'a pod of coredns is Pending: no node has room for it'),
  flag('podCrashLoop', 'a pod of coredns is in CrashLoopBackOff'),
  flag('podImageMissing', 'a pod of coredns is in ImagePullBackOff'),
  flag('podFailed', 'the kube-scheduler of the last controller was evicted: nothing makes another'),
  flag('podNotReady', 'a pod of coredns runs, and its probe fails'),
  flag('podRestarts', 'a pod of coredns runs, and is started again each few minutes'),
  flag('containerOther', 'a pod of coredns runs another image than the one that was recorded'),
  flag('containerTag', 'a pod of coredns names its image by a tag alone'),
  flag('podsWithoutPython', 'no pod has python3, with which connections are tried from it'),
  flag('workloadShort', 'the deployment of coredns has one replica too few'),
  flag('storageClassMissing', 'storage class rbd is not there'),
  flag('storageClassOther', 'storage class rbd has another provisioner'),
  flag('claimPending', 'the claim of the image service has no volume'),
  flag(
    'migrationPending',
    '`glance-manage db check` in the pod of Glance says that its database is to be expanded',
  ),
  flag('toolboxGone', 'the toolbox of Ceph is not there'),
  flag('cephSilent', 'Ceph has no quorum: `ceph status` gives up'),
  flag('cephMonitorDown', 'a monitor of Ceph is out of quorum'),
  flag('cephNoManager', 'Ceph has no active manager'),
  flag('cephOsdDown', 'an OSD of Ceph is down, and placement groups are degraded'),
  flag('cephInactive', 'placement groups of Ceph are not active'),
  flag('cephWarning', 'Ceph warns: a pool has no redundancy'),
];

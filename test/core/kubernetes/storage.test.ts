import { describe, expect, it } from 'vitest';
import type { ClaimObject, PodObject, StorageClassObject } from '../../../core/kubernetes/shapes.ts';
import { judgeClaim, judgeClass } from '../../../core/kubernetes/storage.ts';

const DEFAULT = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const storageClass = (
  name: string,
  annotations = {},
  volumeBindingMode = 'Immediate',
): StorageClassObject => ({
  metadata: { name, annotations },
  provisioner: `${name}.csi`,
  volumeBindingMode,
});
const RBD = storageClass('rbd', DEFAULT);
const LOCAL = storageClass('local', {}, 'WaitForFirstConsumer');

describe('a storage class', () => {
  it.each<[string, Parameters<typeof judgeClass>[0], StorageClassObject[], string[]]>([
    ['is there', { name: 'rbd' }, [RBD], []],
    ['is all that is wanted', { name: 'rbd', provisioner: 'rbd.csi', default: true }, [RBD, LOCAL], []],
    ['is not the default, as wanted', { name: 'local', default: false }, [RBD, LOCAL], []],
    ['is missing', { name: 'nfs' }, [RBD, LOCAL], ['There is no storage class nfs; there is: rbd, local.']],
    ['is missing, as all are', { name: 'nfs' }, [], ['There is no storage class nfs; there is: none.']],
    [
      'has another provisioner',
      { name: 'rbd', provisioner: 'x' },
      [RBD],
      ['Storage class rbd is provisioned by rbd.csi, not by x.'],
    ],
    [
      'is not the default',
      { name: 'local', default: true },
      [RBD, LOCAL],
      ['Storage class local is not the default class.'],
    ],
    [
      'is the default',
      { name: 'rbd', default: false },
      [RBD],
      ['Storage class rbd is the default class, and is not to be.'],
    ],
    [
      'has a rival',
      { name: 'rbd', default: true },
      [RBD, storageClass('nfs', DEFAULT)],
      ['Beside rbd, nfs is marked as the default class too.'],
    ],
  ])('that %s', (_what, wanted, classes, messages) => {
    expect(judgeClass(wanted, classes).map(({ message }) => message)).toEqual(messages);
  });

  it('is corrected by one command', () => {
    const [found] = judgeClass({ name: 'local', default: true }, [RBD, LOCAL]);
    expect(found?.correction).toBe(
      'kubectl annotate storageclass local storageclass.kubernetes.io/is-default-class=true --overwrite',
    );
  });
});

describe('a claim', () => {
  const claim = (phase: string, storageClassName?: string): ClaimObject => ({
    metadata: { name: 'c', namespace: 'openstack' },
    spec: { volumeName: 'v', ...(storageClassName === undefined ? {} : { storageClassName }) },
    status: { phase },
  });
  const user: PodObject = {
    metadata: { name: 'p' },
    spec: { volumes: [{ persistentVolumeClaim: { claimName: 'c' } }] },
  };
  it.each<[string, ClaimObject, PodObject[], string[]]>([
    ['is bound', claim('Bound', 'rbd'), [], []],
    ['waits for its first pod', claim('Pending', 'local'), [], []],
    [
      'waits, and its pod is there',
      claim('Pending', 'local'),
      [user],
      [
        'Claim c is Pending, not Bound; who has to provide its volume is local.csi (class local), and pod p waits for it.',
      ],
    ],
    [
      'is not provided for',
      claim('Pending', 'rbd'),
      [],
      ['Claim c is Pending, not Bound; who has to provide its volume is rbd.csi (class rbd).'],
    ],
    [
      'has no class',
      claim('Pending'),
      [],
      ['Claim c is Pending, not Bound; who has to provide its volume is no class: a volume by hand.'],
    ],
    [
      'has a class that is not there',
      claim('Pending', 'nfs'),
      [],
      ['Claim c is Pending: its storage class nfs does not exist.'],
    ],
    [
      'lost its volume',
      claim('Lost', 'rbd'),
      [],
      ['Claim c is Lost: its volume v is gone, and what it held.'],
    ],
    [
      'is being removed',
      { ...claim('Pending', 'rbd'), metadata: { name: 'c', deletionTimestamp: new Date() } },
      [],
      [],
    ],
  ])('that %s', (_what, each, pods, messages) => {
    expect(judgeClaim(each, [RBD, LOCAL], pods).map(({ message }) => message)).toEqual(messages);
  });
});

import { describe, expect, it } from 'vitest';
import { judgeNode, nodeOf, othersOf } from '../../../core/kubernetes/nodes.ts';
import type { Condition, NodeObject } from '../../../core/kubernetes/shapes.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const C1 = { name: 'c1', address: '10.0.0.1' };
const READY: Condition = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
const node = (over: Partial<NodeObject> = {}, conditions: Condition[] = [READY]): NodeObject => ({
  metadata: { name: 'c1' },
  status: { conditions, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
  ...over,
});
const lease = (time: string) => ({ metadata: { name: 'c1' }, spec: { renewTime: new Date(time) } });
const FRESH = lease('2026-03-01T11:59:50Z');
const messages = (...args: Parameters<typeof judgeNode>) => judgeNode(...args).map(({ message }) => message);

describe('a controller as a node', () => {
  it('is right when it is Ready, and its kubelet lives', () => {
    expect(messages(C1, node(), FRESH, NOW)).toEqual([]);
  });

  it.each<[string, Condition[], string]>([
    [
      'not ready',
      [
        {
          type: 'Ready',
          status: 'False',
          reason: 'KubeletNotReady',
          message: 'cni  plugin\nnot initialized',
        },
      ],
      'c1 is not Ready: Ready is False (KubeletNotReady: cni plugin not initialized).',
    ],
    [
      'not known',
      [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }],
      'c1 is not Ready: Ready is Unknown (NodeStatusUnknown).',
    ],
    ['without conditions', [], 'c1 is not Ready: it has no condition Ready.'],
    [
      'under pressure',
      [READY, { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure' }],
      'c1 runs out of room on its disks: DiskPressure (KubeletHasDiskPressure).',
    ],
    [
      'short of memory',
      [READY, { type: 'MemoryPressure', status: 'True' }],
      'c1 runs out of memory: MemoryPressure.',
    ],
    [
      'without pod network',
      [READY, { type: 'NetworkUnavailable', status: 'True' }],
      'The pod network of c1 is not set up: NetworkUnavailable.',
    ],
  ])('that is %s is told so', (_what, conditions, message) => {
    expect(messages(C1, node({}, conditions), FRESH, NOW)).toEqual([message]);
  });

  it('does not count pressure that is not known, or over', () => {
    const conditions = ['False', 'Unknown'].map((status) => ({ type: 'DiskPressure', status }));
    expect(messages(C1, node({}, [READY, ...conditions]), FRESH, NOW)).toEqual([]);
  });

  it('that is shown as Ready by a kubelet that is dead is told so', () => {
    expect(messages(C1, node(), lease('2026-03-01T11:57:59Z'), NOW)).toEqual([
      'c1 is shown as Ready, but its kubelet has not renewed its lease for 2 min: what is shown is old.',
    ]);
    expect(messages(C1, node(), lease('2026-03-01T11:58:00Z'), NOW)).toEqual([]);
    expect(messages(C1, node(), undefined, NOW)).toEqual([
      'c1 is shown as Ready, and its kubelet has no lease in kube-node-lease: nothing says that it lives.',
    ]);
  });

  it('that is cordoned is told so, with what ends that', () => {
    const [found] = judgeNode(C1, node({ spec: { unschedulable: true } }), FRESH, NOW);
    expect(found?.correction).toContain('kubectl uncordon c1');
  });

  it('that is none is told so', () => {
    expect(messages(C1, undefined, undefined, NOW)).toEqual([
      'c1 is a controller of the contract, and no node of the cluster: none has this name or the address 10.0.0.1.',
    ]);
  });

  it('is found by its name, else by its address; the rest are others', () => {
    const named = node();
    const addressed = node({
      metadata: { name: 'c2.example.org' },
      status: { addresses: [{ address: '10.0.0.2' }] },
    });
    const worker = node({ metadata: { name: 'w1' }, status: {} });
    const all = [worker, addressed, named];
    expect(nodeOf(all, C1)).toBe(named);
    expect(nodeOf(all, { name: 'c2', address: '10.0.0.2' })).toBe(addressed);
    expect(nodeOf(all, { name: 'c3', address: '10.0.0.3' })).toBeUndefined();
    expect(othersOf(all, [C1, { name: 'c2', address: '10.0.0.2' }])).toEqual(['w1']);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Site } from '../../../../activities/site.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import type { FaultDomain } from '../../../../core/fault-domains.ts';
import { aSite, codeOf } from '../../support.ts';
import { aCluster, contractWith, KUBERNETES_GATE, makeCheck } from './support.ts';

let lab: Awaited<ReturnType<typeof aCluster>>;
let site: Site;
let inventory: Inventory;

beforeAll(async () => {
  lab = await aCluster();
  inventory = lab.inventory;
});
afterAll(() => lab.close());
beforeEach(async () => {
  lab.cluster.faults.clear();
  site = await aSite();
});

const make = (id: string) => makeCheck(id, { site, inventory });
const on = (...faults: string[]) =>
  expect(lab.cluster.faults.set(Object.fromEntries(faults.map((name) => [name, true])))).toBeUndefined();

describe('gate 2 on a cluster that is as the contract says', () => {
  it.each(KUBERNETES_GATE.map(({ check: { id } }) => id))('%s passes', async (id) => {
    const result = await make(id);
    expect(result).toMatchObject({ outcome: 'pass', findings: [] });
    expect(result.evidence.length).toBeGreaterThan(0);
  });

  it('says which nodes are not in the contract', async () => {
    inventory = { ...lab.inventory, controllers: lab.inventory.controllers.slice(0, 2) };
    const result = await make('kubernetes-nodes');
    inventory = lab.inventory;
    expect(result).toMatchObject({ outcome: 'pass', summary: '2: Ready; not in the contract: controller-3' });
  });

  it('keeps no secret in the evidence, and neither the specification of a pod', async () => {
    const token = /token: (\S+)/.exec(lab.kubeconfig)![1]!;
    for (const { check } of KUBERNETES_GATE) {
      for (const { id } of (await make(check.id)).evidence) {
        const kept = JSON.stringify(await site.evidence.read(id));
        expect(kept).not.toContain(token);
        expect(kept).not.toContain('registry.lab');
      }
    }
    expect(site.secrets.redactText(`Bearer ${token}`)).toBe('Bearer [redacted]');
  });
});

describe('one thing wrong', () => {
  it.each<[fault: string, check: string, domain: FaultDomain, target: string, message: string]>([
    ['apiNotReady', 'kubernetes-api', 'kubernetes', 'kube-apiserver', 'etcd, etcd-readiness'],
    ['nodeMissing', 'kubernetes-nodes', 'kubernetes', 'controller-3', 'no node of the cluster'],
    ['nodeNotReady', 'kubernetes-nodes', 'kubernetes', 'controller-3', 'is not Ready'],
    ['nodeSilent', 'kubernetes-nodes', 'kubernetes', 'controller-3', 'has not renewed its lease for 60 min'],
    ['nodeDiskPressure', 'kubernetes-nodes', 'control-host', 'controller-3', 'DiskPressure'],
    ['nodeCordoned', 'kubernetes-nodes', 'kubernetes', 'controller-3', 'is cordoned'],
    ['podPending', 'kubernetes-pods', 'kubernetes', 'kube-system', 'is Pending (Unschedulable'],
    ['podCrashLoop', 'kubernetes-pods', 'kubernetes', 'kube-system', 'CrashLoopBackOff, restarted 14 times'],
    ['podImageMissing', 'kubernetes-pods', 'image-supply', 'kube-system', 'ImagePullBackOff'],
    ['podFailed', 'kubernetes-pods', 'kubernetes', 'kube-system', 'has failed (Evicted'],
    ['podNotReady', 'kubernetes-pods', 'kubernetes', 'kube-system', 'is not ready'],
    ['podRestarts', 'kubernetes-pods', 'kubernetes', 'kube-system', '41 times in all'],
    ['workloadShort', 'kubernetes-workloads', 'kubernetes', 'kube-system', '1 of 2 replicas'],
    ['storageClassOther', 'storage-classes', 'storage', 'rbd', 'provisioned by rancher.io/local-path'],
    ['claimPending', 'claims-bound', 'storage', 'openstack', 'glance-images is Pending'],
    ['cephMonitorDown', 'ceph-status', 'storage', 'rook-ceph', 'MON_DOWN'],
    ['cephNoManager', 'ceph-status', 'storage', 'rook-ceph', 'MGR_DOWN'],
    ['cephOsdDown', 'ceph-status', 'storage', 'rook-ceph', 'OSD_DOWN'],
    ['cephInactive', 'ceph-status', 'storage', 'rook-ceph', 'PG_AVAILABILITY'],
    ['cephWarning', 'ceph-status', 'storage', 'rook-ceph', 'POOL_NO_REDUNDANCY'],
  ])('%s is found by %s alone, as the fault of %s', async (fault, check, domain, target, message) => {
    on(fault);
    for (const { check: each } of KUBERNETES_GATE) {
      const result = await make(each.id);
      expect(`${each.id} ${result.outcome}`).toBe(`${each.id} ${each.id === check ? 'fail' : 'pass'}`);
      if (each.id !== check) continue;
      expect(result.findings[0]).toMatchObject({
        target,
        failure: { code: 'CHECK_FAILED', faultDomain: domain, message: expect.stringContaining(message) },
      });
      expect(result.findings[0]!.failure.correction).not.toBe('');
      expect(result.evidence.length).toBeGreaterThan(0);
    }
  });

  it('a missing class is told of the class, and of the claims that want it', async () => {
    on('storageClassMissing', 'claimPending');
    expect((await make('storage-classes')).findings[0]!.failure.message).toContain('no storage class rbd');
    expect((await make('claims-bound')).findings[0]!.failure.message).toContain(
      'storage class rbd does not exist',
    );
  });

  it('what the contract allows of Ceph is not wrong', async () => {
    on('cephWarning');
    const { kubernetes } = lab.inventory;
    inventory = {
      ...lab.inventory,
      kubernetes: { ...kubernetes!, ceph: { namespace: 'rook-ceph', allow: ['POOL_NO_REDUNDANCY'] } },
    };
    expect(await make('ceph-status')).toMatchObject({ outcome: 'pass' });
    inventory = lab.inventory;
  });

  it('a namespace that is not there, or has nothing in it, is told so', async () => {
    inventory = {
      ...lab.inventory,
      kubernetes: { ...lab.inventory.kubernetes!, systemNamespaces: ['default', 'monitoring'] },
    };
    const { findings } = await make('kubernetes-pods');
    expect(findings.map(({ failure: { message } }) => message)).toEqual([
      'Namespace default has no pod: what is to run in it is not there.',
      'There is no namespace monitoring.',
    ]);
    inventory = lab.inventory;
  });
});

describe('what cannot be told is an error, never a pass or a fail', () => {
  it.each<[fault: string, check: string, code: string]>([
    ['apiDown', 'kubernetes-nodes', 'KUBERNETES_UNREACHABLE'],
    ['apiUnavailable', 'kubernetes-pods', 'KUBERNETES_UNAVAILABLE'],
    ['apiUnavailable', 'kubernetes-api', 'KUBERNETES_UNAVAILABLE'],
    ['apiUnauthorized', 'kubernetes-api', 'KUBERNETES_UNAUTHORIZED'],
    ['apiUnauthorized', 'ceph-status', 'KUBERNETES_UNAUTHORIZED'],
    ['apiForbidden', 'kubernetes-workloads', 'KUBERNETES_FORBIDDEN'],
    ['apiForbidden', 'claims-bound', 'KUBERNETES_FORBIDDEN'],
    ['toolboxGone', 'ceph-status', 'KUBERNETES_POD_UNUSABLE'],
    ['cephSilent', 'ceph-status', 'CEPH_COMMAND_FAILED'],
  ])('%s, asked by %s: %s', async (fault, check, code) => {
    on(fault);
    const result = await make(check);
    expect(result.outcome).toBe('error');
    expect(result.findings[0]!.failure).toMatchObject({ code });
  });

  it('a short 503 is asked over', async () => {
    lab.cluster.faults.set({ apiUnavailable: 1 });
    expect(await make('kubernetes-nodes')).toMatchObject({ outcome: 'pass' });
  });

  it('an attempt that is cancelled ends at once', async () => {
    lab.cluster.faults.set({ apiSlow: 600_000 });
    const stop = new AbortController();
    const made = makeCheck('kubernetes-pods', { site, inventory, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(made).rejects.toThrow('enough');
  });
});

describe('what the contract has nothing of', () => {
  it.each<[string, object, string, string]>([
    ['no Kubernetes', {}, 'kubernetes-api', 'the contract has no Kubernetes'],
    [
      'no controllers',
      { kubernetes: { kubeconfig: 'env:X' } },
      'kubernetes-nodes',
      'the contract names no controllers',
    ],
    [
      'no classes',
      { kubernetes: { kubeconfig: 'env:X' } },
      'storage-classes',
      'the contract names no storage classes',
    ],
    ['no Ceph', { kubernetes: { kubeconfig: 'env:X' } }, 'ceph-status', 'the contract has no Ceph'],
  ])('%s is skipped', async (_what, part, check, summary) => {
    const result = await makeCheck(check, { site, inventory: contractWith(part) });
    expect(result).toMatchObject({ outcome: 'skipped', summary });
  });

  it('an unset secret is an error of its own', async () => {
    const contract = contractWith({ kubernetes: { kubeconfig: 'env:RACKWRIGHT_NO_SUCH' } });
    expect(await codeOf(makeCheck('kubernetes-api', { site, inventory: contract }))).toBe(
      'SECRET_UNRESOLVED',
    );
  });
});

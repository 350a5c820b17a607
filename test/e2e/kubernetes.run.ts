import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Kubernetes } from '../../activities/kubernetes/client.ts';
import { openKubeconfig } from '../../activities/kubernetes/kubeconfig.ts';
import { resolveSecret } from '../../activities/secrets/resolve.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { contractWith, KUBERNETES_GATE } from '../activities/gates/kubernetes/support.ts';
import { aContext } from '../activities/gates/images/support.ts';
import { checksNamed } from '../activities/gates/openstack-cloud.ts';
import { KubeApiServer, missingForKubernetes } from '../peers/kube-apiserver.ts';
import { shownFailing } from '../support/shown.ts';
import { keepOutcomes } from '../support/verdicts.ts';
import { GateBench } from '../workflows/gate-bench.ts';
import * as made from './kubernetes/objects.ts';

/**
 * Gate 2 against a kube-apiserver with etcd. There is no kubelet and no controller: what they would write is written
 * through the API, and what the API server itself does is its own: TLS, tokens, RBAC, validation, paging, readiness.
 */

const missing = missingForKubernetes();
const shown = shownFailing('kube-apiserver 1.36', [
  'kubernetes-api',
  'kubernetes-nodes',
  'kubernetes-pods',
  'kubernetes-workloads',
  'storage-classes',
  'claims-bound',
  'container-digests',
]);
const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const PODS = '/api/v1/namespaces/kube-system/pods';
const DEPLOYMENT = '/apis/apps/v1/namespaces/kube-system/deployments/coredns/status';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const CLAIM = '/api/v1/namespaces/openstack/persistentvolumeclaims/glance-images/status';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const COREDNS = 'coredns-6f6b679f8f-2xkfl';

let server: KubeApiServer;
let bench: GateBench;
let inventory: Inventory;

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(50);
};
const renewLeases = async (): Promise<void> => {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  for (const name of made.CONTROLLERS)
    await server.ask('PATCH', `${LEASES}/${name}`, { spec: { renewTime } });
};
const patch = (path: string, status: object) => server.ask('PATCH', path, { status });
const podStatus = (status: object) => patch(`${PODS}/${COREDNS}/status`, status);
const remakePod = async (): Promise<void> => {
  await server.ask('DELETE', `${PODS}/${COREDNS}`, { gracePeriodSeconds: 0 });
  await server.make(PODS, made.pod(COREDNS, 'kube-system'));
};
const annotate = (name: string, value: string) =>
  server.ask('PATCH', `${CLASSES}/${name}`, {
    metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': value } },
  });

/** The role of the how-to, as it stands there, for the account of the run. */
async function grantReading(): Promise<void> {
  const page = await readFile('docs/how-to/check-kubernetes.md', 'utf8');
  const role = /```yaml\n(apiVersion: rbac[^]*?)```/.exec(page)![1]!;
  await server.ask('POST', `${RBAC}/clusterroles`, parse(role) as object);
  await bind();
}
const bind = async (): Promise<void> => {
  await server.ask('POST', `${RBAC}/clusterrolebindings`, made.binding);
  await until(async () => (await server.statusFor('reader-token', NODES)) === 200);
};
const unbind = async (): Promise<void> => {
  await server.ask('DELETE', `${RBAC}/clusterrolebindings/${made.binding.metadata.name}`);
  await until(async () => (await server.statusFor('reader-token', NODES)) === 403);
};

describe.skipIf(missing !== undefined)(
  `gate 2 on a kube-apiserver${missing ? `: needs ${missing}` : ''}`,
  () => {
    beforeAll(async () => {
      server = await KubeApiServer.start();
      await until(
        async () => (await server.statusFor('admin-token', '/api/v1/namespaces/kube-node-lease')) === 200,
      );
      for (const [collection, object] of made.CLUSTER) await server.make(collection, object);
      await grantReading();
      const kubeconfig = await server.kubeconfig('reader-token');
      inventory = contractWith({
        controllers: made.CONTROLLERS.map((name, i) => ({ name, address: `127.0.0.${i + 11}` })),
        kubernetes: {
          kubeconfig: `file:${kubeconfig}`,
          systemNamespaces: ['openstack'],
          storageClasses: [{ name: 'rbd', provisioner: 'rbd.csi.ceph.com', default: true }, 'local'],
        },
      });
      bench = await GateBench.build(2, KUBERNETES_GATE);
    });
    afterAll(async () => {
      try {
        await bench?.close();
      } finally {
        await server?.close();
      }
    });
    beforeEach(renewLeases);

    it('passes where all is as the contract says, with the rights of the how-to alone', async () => {
      const report = await bench.run(inventory);
      expect(bench.checksOf(report).map(({ id, outcome, findings }) => [id, outcome, findings])).toEqual(
        KUBERNETES_GATE.map(({ check: { id } }) =>
          id === 'ceph-status' ? [id, 'skipped', undefined] : [id, 'pass', []],
        ),
      );
      expect(report.outcome).toBe('pass');
    });

    it.each<
      [what: string, fault: () => unknown, mend: () => unknown, id: string, domain: string, message: RegExp]
    >([
      [
        'a controller that is no node',
        () => server.ask('DELETE', `${NODES}/controller-3`),
        () => server.make(NODES, made.node('controller-3')),
        'kubernetes-nodes',
        'kubernetes',
        /controller-3 .* no node of the cluster/,
      ],
      [
        'a node that is not Ready',
        () => patch(`${NODES}/controller-2/status`, made.nodeStatus('controller-2', { Ready: 'Unknown' })),
        () => patch(`${NODES}/controller-2/status`, made.nodeStatus('controller-2')),
        'kubernetes-nodes',
        'kubernetes',
        /controller-2 is not Ready: Ready is Unknown/,
      ],
      [
        'a node without room on its disks',
        () =>
          patch(`${NODES}/controller-2/status`, made.nodeStatus('controller-2', { DiskPressure: 'True' })),
        () => patch(`${NODES}/controller-2/status`, made.nodeStatus('controller-2')),
        'kubernetes-nodes',
        'control-host',
        /DiskPressure/,
      ],
      [
        'a node that is cordoned',
        () => server.ask('PATCH', `${NODES}/controller-1`, { spec: { unschedulable: true } }),
        () => server.ask('PATCH', `${NODES}/controller-1`, { spec: { unschedulable: null } }),
        'kubernetes-nodes',
        'kubernetes',
        /controller-1 is cordoned/,
      ],
      [
        'a kubelet that died unnoticed',
        () =>
          server.ask('PATCH', `${LEASES}/controller-1`, {
            spec: { renewTime: new Date(Date.now() - 600_000).toISOString().replace('Z', '000Z') },
          }),
        renewLeases,
        'kubernetes-nodes',
        'kubernetes',
        /has not renewed its lease for 10 min/,
      ],
      [
        'a pod that cannot be scheduled',
        () => podStatus(made.unschedulable),
        remakePod,
        'kubernetes-pods',
        'kubernetes',
        /is Pending \(Unschedulable/,
      ],
      [
        'a pod that crashes',
        () => podStatus(made.waiting('CrashLoopBackOff', 9)),
        remakePod,
        'kubernetes-pods',
        'kubernetes',
        /CrashLoopBackOff, restarted 9 times/,
      ],
      [
        'a pod whose image does not come',
        () => podStatus(made.waiting('ImagePullBackOff', 0)),
        remakePod,
        'kubernetes-pods',
        'image-supply',
        /ImagePullBackOff/,
      ],
      [
        'a pod that was evicted',
        () => podStatus({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
        remakePod,
        'kubernetes-pods',
        'kubernetes',
        /has failed \(Evicted: low on memory/,
      ],
      [
        'a pod that restarts again and again',
        () => podStatus(made.restarting()),
        remakePod,
        'kubernetes-pods',
        'kubernetes',
        /12 times in all/,
      ],
      [
        'a deployment that is short',
        () => patch(DEPLOYMENT, { availableReplicas: 1, readyReplicas: 1 }),
        () => patch(DEPLOYMENT, { availableReplicas: 2, readyReplicas: 2 }),
        'kubernetes-workloads',
        'kubernetes',
        /Deployment coredns has 1 of 2 replicas available/,
      ],
      [
        'a deployment whose change nobody has seen',
        () => server.ask('PATCH', DEPLOYMENT.replace('/status', ''), { spec: { paused: true } }),
        async () => {
          const { metadata } = await server.ask('GET', DEPLOYMENT.replace('/status', ''));
          await patch(DEPLOYMENT, { observedGeneration: (metadata as { generation: number }).generation });
        },
        'kubernetes-workloads',
        'kubernetes',
        /has not acted on the last change/,
      ],
      [
        'a storage class that is gone',
        () => server.ask('DELETE', `${CLASSES}/rbd`),
        () => server.make(CLASSES, made.storageClass('rbd', 'rbd.csi.ceph.com', true)),
        'storage-classes',
        'storage',
        /no storage class rbd; there is: local/,
      ],
      [
        'a storage class that is the default no more',
        () => annotate('rbd', 'false'),
        () => annotate('rbd', 'true'),
        'storage-classes',
        'storage',
        /rbd is not the default class/,
      ],
      [
        'a claim without a volume',
        () => patch(CLAIM, { phase: 'Pending' }),
        () => patch(CLAIM, { phase: 'Bound' }),
        'claims-bound',
        'storage',
        /glance-images is Pending, not Bound/,
      ],
    ])(
      '%s is found by that check alone, and passes after the correction',
      async (_what, fault, mend, id, domain, message) => {
        await bench.failing(inventory, { fault, mend, id, expected: { domain, message } });
        shown(id);
      },
    );

    it('a token that is not known is an error, of every check', async () => {
      await server.kubeconfig('forged-token');
      const held = await bench.run(inventory);
      expect(held.failure).toMatchObject({ code: 'KUBERNETES_UNAUTHORIZED' });
      expect(outcomes(held)).toEqual(['error', 'error', 'error', 'error', 'error', 'error', 'skipped']);
      await server.kubeconfig('reader-token');
      expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
    });

    it('rights that are missing are an error, of every check that needs them, and named', async () => {
      await unbind();
      const held = await bench.run(inventory);
      expect(held.failure).toMatchObject({
        code: 'KUBERNETES_FORBIDDEN',
        message: expect.stringMatching(/User "reader" cannot list resource "nodes"/),
      });
      expect(outcomes(held)).toEqual(['pass', 'error', 'error', 'error', 'error', 'error', 'skipped']);
      await bind();
      expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
    });

    it('a command in a pod whose kubelet is not there is an error, and so is one that may not be run', async () => {
      const contract = contractWith({
        ...inventory,
        kubernetes: {
          ...inventory.kubernetes,
          ceph: { namespace: 'openstack', toolbox: 'app=rook-ceph-tools' },
        },
      });
      const ceph = async (): Promise<object | undefined> => {
        const held = await bench.run(contract);
        const { outcome, findings } = bench.checksOf(held).find(({ id }) => id === 'ceph-status')!;
        await bench.abort(held);
        return { outcome, code: findings?.[0]?.failure.code, said: findings?.[0]?.failure.message };
      };
      expect(await ceph()).toMatchObject({ outcome: 'error', code: 'KUBERNETES_POD_UNUSABLE' });
      const pods = '/api/v1/namespaces/openstack/pods';
      await server.make(pods, made.pod('tools', 'openstack', { app: 'rook-ceph-tools' }));
      expect(await ceph()).toMatchObject({ outcome: 'error', code: 'KUBERNETES_FORBIDDEN' });
      await server.make(`${RBAC}/namespaces/openstack/roles`, made.execRole);
      await server.make(`${RBAC}/namespaces/openstack/rolebindings`, made.execBinding);
      await until(async () => {
        const path = `${pods}/tools/exec?command=true&stdout=true`;
        return (await server.statusFor('reader-token', path)) !== 403;
      });
      expect(await ceph()).toMatchObject({
        outcome: 'error',
        code: 'KUBERNETES_COMMAND_FAILED',
        said: expect.stringMatching(/dial/),
      });
      await server.ask('DELETE', `${pods}/tools`, { gracePeriodSeconds: 0 });
    });

    it('lists come whole, however small their pages', async () => {
      const config = await openKubeconfig(inventory.kubernetes!, {
        secret: resolveSecret,
        remember: () => undefined,
      });
      const { signal } = new AbortController();
      const names = async (page: number): Promise<(string | undefined)[]> =>
        (await new Kubernetes(config, { signal, page }).pods('kube-system')).map(
          ({ metadata }) => metadata?.name,
        );
      expect(await names(2)).toEqual(await names(250));
      expect((await names(2)).length).toBeGreaterThan(4);
    });

    it('containers that run what was not recorded, or are named by a tag that can be changed', async () => {
      const [check] = checksNamed('container-digests');
      const contract = (containerImages: object[]): Inventory =>
        contractWith({ kubernetes: { ...inventory.kubernetes, containerImages } });
      const judge = async (record: object) => {
        const context = await aContext(contract([record]), { secret: resolveSecret });
        const { outcome, findings } = await check!.run(context);
        keepOutcomes([{ id: 'container-digests', outcome }]);
        return [outcome, findings[0]?.failure.message ?? ''];
      };
      const recorded = { image: 'registry.test/main:1', digest: made.DIGEST, immutableTag: true };
      expect(await judge(recorded)).toEqual(['pass', '']);
      expect(await judge({ ...recorded, immutableTag: false })).toEqual([
        'fail',
        expect.stringMatching(/but by a tag/),
      ]);
      expect(await judge({ ...recorded, image: 'registry.test/other:1' })).toEqual([
        'fail',
        expect.stringMatching(/none is recorded of it/),
      ]);
      await podStatus(made.runningOther());
      expect(await judge(recorded)).toEqual([
        'fail',
        expect.stringMatching(/runs sha256:6{64} of registry.test/),
      ]);
      await remakePod();
      expect(await judge(recorded)).toEqual(['pass', '']);
      shown('container-digests');
    });

    it('an API server without its etcd is not ready: that is the finding, and nothing else is judged', async () => {
      await server.stopEtcd();
      await until(async () => (await server.statusFor('admin-token', '/readyz')) === 500);
      const held = await bench.run(inventory);
      await server.startEtcd();
      expect(held.failure).toMatchObject({
        code: 'CHECK_FAILED',
        faultDomain: 'kubernetes',
        message: expect.stringMatching(/not ready: etcd/),
      });
      expect(outcomes(held)[0]).toBe('fail');
      expect(outcomes(held).slice(1)).not.toContain('fail');
      await server.ready();
      await renewLeases();
      expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
      shown('kubernetes-api');
    });

    it('an API that does not answer is an error, of every check', async () => {
      await server.stopApi();
      const held = await bench.run(inventory);
      expect(held.failure).toMatchObject({ code: 'KUBERNETES_UNREACHABLE', faultDomain: 'kubernetes' });
      expect(outcomes(held)).toEqual(['error', 'error', 'error', 'error', 'error', 'error', 'skipped']);
      await server.startApi();
      await renewLeases();
      expect(await bench.resume(held)).toMatchObject({ outcome: 'pass' });
    });
  },
);

const outcomes = (report: Parameters<GateBench['checksOf']>[0]) =>
  bench.checksOf(report).map(({ outcome }) => outcome);

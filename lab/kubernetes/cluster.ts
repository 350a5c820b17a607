import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { issue, type Identity } from '../certificates.ts';
import { faults, type FaultValues, type Faults } from '../faults.ts';
import { eventLog, saved, writeAtomic } from '../store.ts';
import { kubernetesApp } from './app.ts';
import { containerImages, controllers, newObjects, type Objects } from './objects.ts';
import { KUBERNETES_SWITCHES } from './switches.ts';

interface ClusterFile {
  objects: Objects;
  faults: FaultValues;
}

/** The cluster of the lab's control plane: what is in it, and the switches that make it misbehave. */
export interface LabCluster {
  readonly faults: Faults;
  /** Path of a kubeconfig that reaches it. */
  readonly kubeconfig: string;
  listen(host: string, port: number): Promise<{ close(): Promise<void> }>;
  /** The part of the contract that is about it. */
  contract(): { readonly [field: string]: unknown };
}

/** Makes a cluster, or goes on with the one that is in the folder. */
export async function labCluster(dir: string, authority: Identity, host: string): Promise<LabCluster> {
  const file = saved<ClusterFile>(join(dir, 'kubernetes', 'state.json'), () => ({
    objects: newObjects(new Date().toISOString()),
    faults: {},
  }));
  const log = eventLog(join(dir, 'kubernetes', 'log.jsonl'));
  const switches = faults(
    {
      read: () => file.value.faults,
      write(values) {
        file.value.faults = values;
        file.save();
      },
    },
    (fault) => log.append('fault-fired', { fault }),
    KUBERNETES_SWITCHES,
  );
  const kept = (name: string, make: () => string): string => {
    const path = join(dir, 'secrets', name);
    if (!existsSync(path)) writeAtomic(path, make());
    return readFileSync(path, 'utf8').trim();
  };
  const token = kept('kubernetes-token', () => randomBytes(24).toString('base64url'));
  const made = JSON.stringify(await issue(authority, 'kubernetes', host));
  const identity = JSON.parse(kept('kubernetes.json', () => made)) as Identity;
  const kubeconfig = join(dir, 'secrets', 'kubeconfig');
  return {
    faults: switches,
    kubeconfig,
    async listen(address, port) {
      const app = kubernetesApp({ objects: file.value.objects, faults: switches, token }, identity);
      await app.listen({ host: address, port });
      writeAtomic(kubeconfig, kubeconfigOf(`https://${address}:${port}`, authority.cert, token));
      return { close: () => app.close() };
    },
    contract: () => ({
      controllers: controllers(),
      kubernetes: {
        kubeconfig: `file:${kubeconfig}`,
        context: 'lab',
        systemNamespaces: ['openstack'],
        storageClasses: [{ name: 'rbd', provisioner: 'rook-ceph.rbd.csi.ceph.com', default: true }, 'local'],
        ceph: { namespace: 'rook-ceph' },
        containerImages: containerImages(file.value.objects),
      },
    }),
  };
}

const kubeconfigOf = (server: string, ca: string, token: string): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'lab', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'rackwright', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'rackwright' } }],
    'current-context': 'lab',
  });

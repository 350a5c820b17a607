import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Kubernetes as Contract } from '../../../contracts/inventory/platform.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Kubernetes } from '../../kubernetes/client.ts';
import { openKubernetes } from '../../kubernetes/open.ts';
import type { CheckContext } from '../check.ts';

export const withoutKubernetes = ({ kubernetes }: Inventory): string | undefined =>
  kubernetes ? undefined : 'the contract has no Kubernetes';

/** What the contract says of Kubernetes; checks that there is nothing to ask for are skipped before. */
export function contractOf({ inventory: { kubernetes } }: CheckContext): Contract {
  if (!kubernetes) throw fail('CONTRACT_INVALID', 'The contract has no `kubernetes`.');
  return kubernetes;
}

/** The API of the contract, with credentials as they are now. */
export const kubernetesOf = (context: CheckContext): Promise<Kubernetes> => openKubernetes(context);

/** The namespaces that the platform stands on, as targets: `kube-system`, those of the contract, that of Ceph. */
export function systemNamespaces({ systemNamespaces: more = [], ceph }: Contract): { name: string }[] {
  return [...new Set(['kube-system', ...more, ...(ceph?.namespace ? [ceph.namespace] : [])])].map((name) => ({
    name,
  }));
}

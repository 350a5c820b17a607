import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { fail } from '../../core/errors/failure.ts';
import type { Site } from '../site.ts';
import { Kubernetes } from './client.ts';
import { openKubeconfig } from './kubeconfig.ts';

/** What is needed to speak to the Kubernetes of a contract. */
export interface Opening {
  readonly inventory: Inventory;
  readonly site: Pick<Site, 'secrets'>;
  readonly signal: AbortSignal;
  secret(reference: string): Promise<string>;
}

/** The API of the contract, with credentials as they are now. Throws CONTRACT_INVALID where it has none. */
export async function openKubernetes({ inventory, site, signal, secret }: Opening): Promise<Kubernetes> {
  const { kubernetes } = inventory;
  if (!kubernetes) throw fail('CONTRACT_INVALID', 'The contract has no `kubernetes`.');
  const config = await openKubeconfig(kubernetes, {
    secret: (reference) => secret(reference),
    remember: (value) => site.secrets.add(value),
  });
  return new Kubernetes(config, { signal });
}

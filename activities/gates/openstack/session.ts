import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { fail } from '../../../core/errors/failure.ts';
import { SERVICE_TYPES, type ServiceType } from '../../../core/openstack/catalog.ts';
import { cloudCa } from '../../openstack/ca.ts';
import { OpenStack } from '../../openstack/client.ts';
import type { CheckContext } from '../check.ts';

/** Why there is no cloud to ask; undefined: the contract names one. */
export const withoutOpenStack = ({ openstack }: Inventory): string | undefined =>
  openstack?.authUrl === undefined ? 'the contract names no cloud (`openstack.authUrl`)' : undefined;

/** Whether the cloud of the contract is to have a service. */
export const isThere = ({ openstack }: Inventory, service: ServiceType): boolean =>
  (openstack?.services ?? SERVICE_TYPES).includes(service);

/** Why there is nothing to ask of a service. */
export const without =
  (service: ServiceType) =>
  (inventory: Inventory): string | undefined =>
    withoutOpenStack(inventory) ??
    (isThere(inventory, service)
      ? undefined
      : `the contract does not have ${service} among \`openstack.services\``);

/** Runs with the cloud of the contract, asked with credentials as they are now. */
export async function withOpenStack<T>(
  context: Pick<CheckContext, 'inventory' | 'secret' | 'signal'>,
  run: (cloud: OpenStack) => Promise<T>,
): Promise<T> {
  const { authUrl, credentials, region, interface: wanted } = context.inventory.openstack ?? {};
  if (authUrl === undefined || credentials === undefined) {
    throw fail(
      'CONTRACT_INVALID',
      'The contract says `openstack.authUrl`, and not as whom the cloud is asked.',
      {
        correction: 'Add `openstack.credentials`: username, password, project.',
      },
    );
  }
  const { username, password, project, domain = 'Default', systemScope } = credentials;
  const cloud = new OpenStack(
    {
      authUrl,
      interface: wanted ?? 'public',
      region,
      credentials: {
        username,
        password: await context.secret(password),
        project,
        domain,
        systemScope: systemScope === 'all',
      },
      ca: await cloudCa(context.inventory),
    },
    { signal: context.signal },
  );
  try {
    return await run(cloud);
  } finally {
    await cloud.close();
  }
}

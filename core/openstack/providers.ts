import type { Hypervisor } from './compute-services.ts';
import type { Found } from './found.ts';
import { field, text } from './read.ts';

/** What Placement counts the room of. */
export interface Provider {
  readonly uuid: string;
  readonly name: string;
}

export const readProviders = (rows: readonly unknown[]): Provider[] =>
  rows.map((row) => ({ uuid: text(field(row, 'uuid')), name: text(field(row, 'name')) }));

/** Which classes a provider has anything of. */
export const readInventories = (body: unknown): readonly string[] | undefined => {
  const all = field(body, 'inventories');
  return typeof all === 'object' && all !== null ? Object.keys(all) : undefined;
};

/** Whether a hypervisor is a provider of its own: only what is one is ever given a server. */
export function judgeProvider(
  { id, name, host }: Hypervisor,
  providers: readonly Provider[],
): Found | undefined {
  if (providers.some(({ uuid }) => uuid === id)) return undefined;
  const other = providers.find((each) => each.name === name);
  return other === undefined
    ? {
        message: `Placement has no provider for ${name} (nova-compute on ${host}): no server is put there.`,
        correction: `Look at the log of nova-compute on ${host} for Placement; started again, it makes its provider.`,
      }
    : {
        message: `Placement has ${name} (nova-compute on ${host}) under another id, ${other.uuid}: that of a compute that was before. No server is put there.`,
        correction: `Remove its allocations, and it: openstack resource provider delete ${other.uuid}; nova-compute on ${host} makes the new one.`,
      };
}

/** Whether a provider has anything to give; undefined: it has. */
export const judgeInventory = ({ name, host }: Hypervisor, classes: readonly string[]): Found | undefined =>
  classes.length > 0
    ? undefined
    : {
        message: `The provider of ${name} (nova-compute on ${host}) has no inventory: no server is put there.`,
        correction: `Look at the log of nova-compute on ${host}; of a node of Ironic, set its resource class (openstack baremetal node set --resource-class).`,
      };

import { COMPUTES, type Cloud } from '../cloud.ts';
import { available } from '../ironic/life.ts';
import { uuidOf, type IronicNode } from '../state.ts';

/** One of what servers are put on, as Placement counts it. */
export interface Provider {
  readonly uuid: string;
  readonly name: string;
  readonly inventories: { readonly [resource: string]: Inventory };
  readonly usages: { readonly [resource: string]: number };
  readonly traits: readonly string[];
}

export interface Inventory {
  readonly total: number;
  readonly reserved: number;
  readonly min_unit: number;
  readonly max_unit: number;
  readonly step_size: number;
  readonly allocation_ratio: number;
}

const inventory = (total: number, reserved = 0, allocation_ratio = 1): Inventory => ({
  total,
  reserved,
  min_unit: 1,
  max_unit: total,
  step_size: 1,
  allocation_ratio,
});

/** The resource class of a node, as Placement has its name. */
export const resourceClassOf = ({ resource_class }: IronicNode): string =>
  `CUSTOM_${String(resource_class)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')}`;

/** Every provider, as Nova keeps them up to date. */
export function providers(cloud: Cloud): Provider[] {
  const { placement } = cloud.faults;
  const virtual = COMPUTES.map((host): Provider => {
    const sizes = sizesOn(cloud, host);
    return {
      uuid: uuidOf(`hypervisor/${host}`),
      name: host,
      inventories: {
        VCPU: inventory(64, 0, 4),
        MEMORY_MB: inventory(262_144, 512),
        DISK_GB: inventory(1000),
      },
      usages: {
        VCPU: sum(sizes, 'vcpus'),
        MEMORY_MB: sum(sizes, 'ram'),
        DISK_GB: sum(sizes, 'disk'),
      },
      traits: ['HW_CPU_X86_AVX2', 'COMPUTE_NODE'],
    };
  });
  if (placement.on('providerMissing')) return virtual;
  const bare = cloud.state.nodes.map((node): Provider => {
    const name = resourceClassOf(node);
    const taken = cloud.state.servers.some(({ node: on, status }) => on === node.uuid && status !== 'ERROR')
      ? 1
      : 0;
    // What can be given to nobody now is reserved: Nova does so for a node that is not available.
    const reserved = placement.on('inventoryReserved') || (taken === 0 && !available(cloud, node)) ? 1 : 0;
    return {
      uuid: node.uuid,
      name: node.uuid,
      inventories: { [name]: inventory(1, reserved) },
      usages: { [name]: taken },
      traits: node['traits'] as string[],
    };
  });
  return [...virtual, ...bare];
}

type Sizes = { readonly [size: string]: unknown };

const sizesOn = (cloud: Cloud, host: string): Sizes[] =>
  cloud.state.servers
    .filter((server) => server.host === host && server.status !== 'ERROR')
    .map((server) => cloud.state.flavors.find(({ id }) => id === server.flavor) ?? {});

const sum = (all: readonly Sizes[], field: string): number =>
  all.reduce((so, each) => so + Number(each[field] ?? 0), 0);

/** What is left of a resource. */
export const left = ({ inventories, usages }: Provider, resource: string): number => {
  const has = inventories[resource];
  if (has === undefined) return 0;
  return Math.floor((has.total - has.reserved) * has.allocation_ratio) - (usages[resource] ?? 0);
};

import { fail } from '../../core/errors/failure.ts';
import { isName } from '../../core/names.ts';
import type { Credentials, NodeBmc, TlsPolicy } from './bmc.ts';
import type { Inventory } from './inventory.ts';
import type { Node } from './node.ts';
import type { Controller } from './platform.ts';
import type { Image, MachineType } from './supply.ts';

/** How a node's BMC is reached, with the site's defaults merged in. */
export interface EffectiveBmc {
  readonly address: string;
  /** Path of the system; undefined: the BMC's only one. */
  readonly system: string | undefined;
  /** References, unresolved; undefined only for nodes that another driver carries. */
  readonly credentials: Credentials | undefined;
  readonly tls: TlsPolicy;
  readonly auth: 'session' | 'basic';
  /** Seconds. */
  readonly timeouts: { readonly connect: number; readonly request: number; readonly shutdown: number };
  /** User names that may be enabled beside the own one; undefined: the contract does not say. */
  readonly accounts: readonly string[] | undefined;
  readonly hostInterface: 'enabled' | 'disabled' | undefined;
  /** Whether it is left alone between operations. */
  readonly unwatched: boolean;
}

/** A node as the contract means it: its own fields over the site's defaults. */
export interface EffectiveNode extends Omit<Node, 'bmc' | 'bootMode' | 'architecture'> {
  readonly site: string;
  readonly bmc: EffectiveBmc | undefined;
  readonly bootMode: 'uefi' | 'bios';
  readonly architecture: 'x86_64' | 'aarch64';
  readonly machineType: MachineType;
}

function effectiveBmc(inventory: Inventory, own: NodeBmc | undefined): EffectiveBmc | undefined {
  if (own === undefined) return undefined;
  const site = inventory.bmc;
  const username = own.credentials?.username ?? site.credentials?.username;
  const password = own.credentials?.password ?? site.credentials?.password;
  return {
    address: own.address,
    system: own.system,
    credentials: username === undefined || password === undefined ? undefined : { username, password },
    tls: own.tls ?? site.tls ?? 'verify',
    auth: own.auth ?? site.auth ?? 'session',
    timeouts: {
      connect: own.timeouts?.connect ?? site.timeouts?.connect ?? 10,
      request: own.timeouts?.request ?? site.timeouts?.request ?? 30,
      shutdown: own.timeouts?.shutdown ?? site.timeouts?.shutdown ?? 120,
    },
    accounts: own.accounts ?? site.accounts,
    hostInterface: own.hostInterface ?? site.hostInterface,
    unwatched: own.watch === 'off',
  };
}

/** How a controller's own BMC is reached, with the site's defaults merged in. */
export const controllerBmc = (inventory: Inventory, { bmc }: Controller): EffectiveBmc | undefined =>
  effectiveBmc(inventory, bmc);

/** The node with all defaults of the site merged in. Throws NODE_UNKNOWN. */
export function effectiveNode(inventory: Inventory, name: string): EffectiveNode {
  const node = inventory.nodes.find((candidate) => candidate.name === name);
  if (node === undefined) {
    throw fail(
      'NODE_UNKNOWN',
      `The inventory of site ${inventory.site} has no node ${isName(name) ? name : 'of this name'}.`,
      {
        details: { node: String(name).slice(0, 63) },
      },
    );
  }
  return effective(inventory, node);
}

/** All nodes, each with the defaults of the site merged in. */
export const effectiveNodes = (inventory: Inventory): EffectiveNode[] =>
  inventory.nodes.map((node) => effective(inventory, node));

function effective(inventory: Inventory, node: Node): EffectiveNode {
  const machineType = inventory.machineTypes.find((type) => type.name === node.type);
  if (machineType === undefined) {
    throw fail('CONTRACT_INVALID', `Node ${node.name} is of type ${node.type}, which the inventory lacks.`);
  }
  const resourceClass = node.resourceClass ?? machineType.resourceClass;
  return {
    ...node,
    ...(resourceClass === undefined ? {} : { resourceClass }),
    site: inventory.site,
    bmc: effectiveBmc(inventory, node.bmc),
    bootMode: node.bootMode ?? 'uefi',
    architecture: node.architecture ?? 'x86_64',
    machineType,
  };
}

/** The image of this name. Throws IMAGE_UNKNOWN, naming those there are. */
export function imageOf(inventory: Inventory, name: string): Image {
  const image = inventory.images.find((candidate) => candidate.name === name);
  if (image !== undefined) return image;
  const known = inventory.images.map((each) => each.name).slice(0, 20);
  throw fail(
    'IMAGE_UNKNOWN',
    known.length === 0
      ? 'The contract has no images.'
      : `The contract has no image of this name. It has: ${known.join(', ')}.`,
    { details: { image: String(name).slice(0, 63) } },
  );
}

/** A firmware file that the gateway serves. */
export interface FirmwareFile {
  readonly file: string;
  readonly checksum: string;
}

/** The files of the baselines of a machine type. */
export const firmwareFilesOf = (inventory: Inventory, type: string): FirmwareFile[] =>
  (inventory.firmware?.baselines ?? [])
    .filter(({ types }) => types.includes(type))
    .flatMap(({ components }) => components)
    .flatMap(({ file, checksum }) =>
      file === undefined || checksum === undefined ? [] : [{ file, checksum }],
    );

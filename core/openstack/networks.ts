import { field, items, text } from './read.ts';
import type { ServiceFinding } from '../ironic/service.ts';

export interface NeutronNetwork {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly up: boolean;
  /** null: none of its own, as a flat network that a switch puts into a VLAN; undefined: Neutron does not tell it, as to whoever may not see it. */
  readonly segment: number | null | undefined;
  readonly subnets: readonly NeutronSubnet[];
}
export interface NeutronSubnet {
  readonly name: string;
  readonly cidr: string;
  readonly dhcp: boolean;
}

/** The network as the contract has it. */
export interface WantedNetwork {
  readonly name: string;
  readonly cidr?: string | undefined;
  readonly vlan?: number | undefined;
  readonly dhcp?: boolean | undefined;
}

export const readSubnet = (value: unknown): NeutronSubnet => ({
  name: text(field(value, 'name')) || text(field(value, 'id')),
  cidr: text(field(value, 'cidr')),
  dhcp: field(value, 'enable_dhcp') === true,
});

export function readNetwork(value: unknown, subnets: readonly unknown[]): NeutronNetwork {
  const id = text(field(value, 'id'));
  const segment = field(value, 'provider:segmentation_id');
  return {
    id,
    name: text(field(value, 'name')) || id,
    status: text(field(value, 'status')),
    up: field(value, 'admin_state_up') === true,
    segment: typeof segment === 'number' || segment === null ? segment : undefined,
    subnets: items(subnets)
      .filter((each) => text(field(each, 'network_id')) === id)
      .map(readSubnet),
  };
}

/** The networks that a name or id stands for. */
export const networksNamed = (
  name: string,
  networks: readonly NeutronNetwork[],
): readonly NeutronNetwork[] => {
  const byId = networks.filter(({ id }) => id === name);
  return byId.length > 0 ? byId : networks.filter((each) => each.name === name);
};

/** The one network of the contract, where Neutron does not tell the VLAN that it is to have. */
export const untoldSegment = (
  wanted: WantedNetwork,
  networks: readonly NeutronNetwork[],
): NeutronNetwork | undefined => {
  const [network, ...others] = networksNamed(wanted.name, networks);
  return wanted.vlan !== undefined && others.length === 0 && network?.segment === undefined
    ? network
    : undefined;
};

const PLACE = '`openstack.bareMetal.provisioningNetwork`';

/** What of the provisioning network is not as the contract says. */
export function networkProblems(
  wanted: WantedNetwork,
  networks: readonly NeutronNetwork[],
): ServiceFinding[] {
  const found = networksNamed(wanted.name, networks);
  const [network] = found;
  if (network === undefined) {
    return [
      {
        message: `Neutron has no network ${wanted.name}, or the user of the contract may not see it.`,
        correction: `Create it (openstack network create --share …), or correct ${PLACE}.`,
      },
    ];
  }
  if (found.length > 1) {
    return [
      {
        message: `Neutron has ${found.length} networks of the name ${wanted.name}: which one nodes are put into is chance.`,
        correction: `Write the id of the one that is meant into ${PLACE} and into ironic.conf: ${found.map(({ id }) => id).join(', ')}.`,
      },
    ];
  }
  const wrong: ServiceFinding[] = [];
  const say = (message: string, correction: string): void => void wrong.push({ message, correction });
  const { name, status, up, segment, subnets } = network;
  if (!up) say(`Network ${name} is administratively down.`, `openstack network set --enable ${name}`);
  if (status !== 'ACTIVE')
    say(
      `Network ${name} is ${status || 'in no state'}, and not ACTIVE.`,
      'Look at the network agents (openstack network agent list) and at the log of neutron-server.',
    );
  if (wanted.vlan !== undefined && typeof segment === 'number' && segment !== wanted.vlan)
    say(
      `Network ${name} has VLAN ${segment} in Neutron, and ${wanted.vlan} in the contract.`,
      'Correct `vlan` of the network in the contract, or create the network anew: its segment cannot be changed.',
    );
  if (wanted.cidr === undefined && wanted.dhcp === undefined) return wrong;
  const fitting =
    wanted.cidr === undefined
      ? subnets
      : subnets.filter(({ cidr }) => cidr.toLowerCase() === wanted.cidr!.toLowerCase());
  const [subnet] = fitting;
  if (subnet === undefined) {
    const has = subnets.map(({ cidr }) => cidr).join(', ') || 'none';
    say(
      `Network ${name} has no subnet ${wanted.cidr ?? ''}; it has: ${has}.`.replace(' ;', ';'),
      `openstack subnet create --network ${name} --subnet-range ${wanted.cidr ?? 'CIDR'} …; or correct the network in the contract.`,
    );
  } else if (wanted.dhcp !== undefined && !fitting.some(({ dhcp }) => dhcp === wanted.dhcp)) {
    say(
      `Subnet ${subnet.cidr} of network ${name} ${subnet.dhcp ? 'gives' : 'gives no'} addresses by DHCP.`,
      `openstack subnet set --${wanted.dhcp ? '' : 'no-'}dhcp ${subnet.name}; or correct ${PLACE}.`,
    );
  }
  return wrong;
}

/** Fields of a node's `driver_info` that name a network of Neutron. */
const OF_NODES = [
  'provisioning_network',
  'cleaning_network',
  'rescuing_network',
  'inspection_network',
] as const;

/** The names of networks that a node has. */
export const networksOf = (node: { readonly driverInfo: { readonly [key: string]: unknown } }) =>
  OF_NODES.map((key) => text(node.driverInfo[key])).filter((name) => name !== '');

/** Where a node names a network that is not there, or another one to be deployed in than the contract. */
export function nodeNetworkProblems(
  node: { readonly name: string; readonly driverInfo: { readonly [key: string]: unknown } },
  networks: readonly NeutronNetwork[],
  wanted: string | undefined,
): ServiceFinding[] {
  return OF_NODES.flatMap((key): ServiceFinding[] => {
    const named = text(node.driverInfo[key]);
    if (named === '') return [];
    const found = networksNamed(named, networks);
    const correction = `baremetal node set ${node.name} --driver-info ${key}=ID, or unset it for that of ironic.conf.`;
    if (found.length !== 1) {
      const has = found.length === 0 ? 'no network' : `${found.length} networks`;
      return [
        {
          message: `Node ${node.name} has ${key} ${named}, and Neutron has ${has} of that name.`,
          correction,
        },
      ];
    }
    if (key !== 'provisioning_network' || wanted === undefined) return [];
    const meant = networksNamed(wanted, networks);
    if (meant.length !== 1 || meant[0]!.id === found[0]!.id) return [];
    return [
      {
        message: `Node ${node.name} is deployed in network ${found[0]!.name}, and the contract says ${wanted}.`,
        correction,
      },
    ];
  });
}

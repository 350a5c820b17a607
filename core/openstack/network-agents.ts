import { COMPUTE, type ComputeService, type Hypervisor } from './compute-services.ts';
import type { Found } from './found.ts';
import { field, text } from './read.ts';

/** An agent of Neutron that the contract names. */
export interface WantedAgent {
  readonly binary: string;
  readonly host: string;
}

/** An agent, as Neutron lists it. */
export interface Agent extends WantedAgent {
  readonly type: string;
  readonly alive: boolean;
  readonly adminUp: boolean;
  /** By the clock of Neutron. */
  readonly reportedAt: string;
  readonly startedAt: string;
}

/** What wires ports on a host, by backend: the binary of its agent. */
const L2_AGENTS = {
  openvswitch: 'neutron-openvswitch-agent',
  ovn: 'ovn-controller',
  linuxbridge: 'neutron-linuxbridge-agent',
} as const;
export const BACKENDS = ['openvswitch', 'ovn', 'linuxbridge'] as const;
export type Backend = (typeof BACKENDS)[number];

export const readAgents = (rows: readonly unknown[]): Agent[] =>
  rows.map((row) => ({
    binary: text(field(row, 'binary')),
    host: text(field(row, 'host')),
    type: text(field(row, 'agent_type')),
    alive: field(row, 'alive') === true,
    adminUp: field(row, 'admin_state_up') === true,
    reportedAt: text(field(row, 'heartbeat_timestamp')),
    startedAt: text(field(row, 'started_at')),
  }));

const isOf = (wanted: WantedAgent, { binary, host }: WantedAgent): boolean =>
  wanted.binary === binary && wanted.host === host;

/** Whether agents of the contract are there, alive and up, and of the others those that are up are alive. */
export function judgeAgents(wanted: readonly WantedAgent[], agents: readonly Agent[]): Found[] {
  return [
    ...wanted.flatMap((each) => judgeWanted(each, agents)),
    ...agents
      .filter((each) => each.adminUp && !each.alive && !wanted.some((named) => isOf(named, each)))
      .map(dead),
  ];
}

function judgeWanted(wanted: WantedAgent, agents: readonly Agent[]): Found[] {
  const { binary, host } = wanted;
  const found = agents.find((each) => isOf(wanted, each));
  if (found === undefined) {
    const others = agents.filter((each) => each.binary === binary).map((each) => each.host);
    const there = others.length === 0 ? 'there is none of that kind' : `there is: ${others.join(', ')}`;
    return [
      {
        message: `Neutron has no ${binary} on ${host}; ${there}.`,
        correction: `Start ${binary} on ${host}, with \`host\` as the contract has it; or correct \`openstack.network.agents\`.`,
      },
    ];
  }
  if (!found.alive) return [dead(found)];
  return found.adminUp
    ? []
    : [
        {
          message: `${binary} on ${host} is taken out of service (admin_state_up is false).`,
          correction: `openstack network agent set --enable $(openstack network agent list --host ${host} -f value -c ID -c Binary | awk '$2 == "${binary}" {print $1}')`,
        },
      ];
}

const dead = ({ binary, host, reportedAt }: Agent): Found => ({
  message: `${binary} on ${host} is not alive: it reported last at ${reportedAt} UTC.`,
  correction: `Start ${binary} on ${host}; where it runs, look at its log for the message queue, and at the clock of the host.`,
});

/**
 * Whether what wires ports is of the backend that is meant, and is on each host that runs virtual machines: a port
 * there is bound to no other.
 */
export function judgeBackend(
  backend: Backend,
  agents: readonly Agent[],
  { services, hypervisors }: Computes,
): Found[] {
  const binary = L2_AGENTS[backend];
  const others = agents.filter(
    (each) => each.binary !== binary && Object.values<string>(L2_AGENTS).includes(each.binary),
  );
  const hosts = [
    ...new Set(hypervisors.filter(({ type }) => type !== 'ironic').map(({ host }) => host)),
  ].filter((host) => services.some((each) => each.binary === COMPUTE && each.host === host && each.enabled));
  const without = hosts.filter((host) => !agents.some((each) => isOf({ binary, host }, each)));
  return [
    ...without.map((host) => ({
      message: `Host ${host} runs virtual machines and has no ${binary}: no port is bound there.`,
      correction: `Start ${binary} on ${host}; where it runs, its \`host\` has to be the one of nova-compute.`,
    })),
    ...others.map((each) => ({
      message: `${each.binary} on ${each.host} is of another backend; the contract says ${backend}.`,
      correction: `Stop ${each.binary} on ${each.host} and remove it (openstack network agent delete); or correct \`openstack.network.backend\`.`,
    })),
  ];
}

/** What of Nova tells where virtual machines run. */
export interface Computes {
  readonly services: readonly ComputeService[];
  readonly hypervisors: readonly Hypervisor[];
}

/** What there is, in words. */
export function toldOfAgents(wanted: readonly WantedAgent[], agents: readonly Agent[]): string {
  const alive = agents.filter((each) => each.alive).length;
  const others = agents
    .filter((each) => wanted.length > 0 && !wanted.some((named) => isOf(named, each)))
    .map(({ binary, host }) => `${binary} on ${host}`);
  const off = agents.filter((each) => !each.adminUp).map(({ binary, host }) => `${binary} on ${host}`);
  return [
    agents.length === 0 ? 'there are none, and the contract wants none' : `${alive} alive`,
    ...(off.length === 0 ? [] : [`out of service: ${off.slice(0, 10).join(', ')}`]),
    ...(others.length === 0 ? [] : [`not in the contract: ${others.slice(0, 10).join(', ')}`]),
  ].join('; ');
}

import { describe, expect, it } from 'vitest';
import type { ComputeService } from '../../../core/openstack/compute-services.ts';
import {
  judgeAgents,
  judgeBackend,
  readAgents,
  toldOfAgents,
  type Agent,
  type Backend,
  type WantedAgent,
} from '../../../core/openstack/network-agents.ts';

const OVS = 'neutron-openvswitch-agent';
const agent = (binary: string, host: string, over: Partial<Agent> = {}): Agent => ({
  binary,
  host,
  type: '',
  alive: true,
  adminUp: true,
  reportedAt: '2026-03-01 12:00:00',
  startedAt: '2026-03-01 08:00:00',
  ...over,
});

describe('agents of Neutron', () => {
  it.each<[string, WantedAgent[], Agent[], string[]]>([
    ['are none', [], [], []],
    ['are those of the contract', [{ binary: OVS, host: 'k1' }], [agent(OVS, 'k1')], []],
    [
      'lack one of the contract',
      [{ binary: OVS, host: 'k1' }],
      [agent(OVS, 'k2')],
      [`Neutron has no ${OVS} on k1; there is: k2.`],
    ],
    [
      'lack a kind of the contract',
      [{ binary: OVS, host: 'k1' }],
      [agent('neutron-dhcp-agent', 'k1')],
      [`Neutron has no ${OVS} on k1; there is none of that kind.`],
    ],
    [
      'have one that is dead, named or not',
      [{ binary: OVS, host: 'k1' }],
      [agent(OVS, 'k1', { alive: false }), agent('neutron-l3-agent', 'c1', { alive: false })],
      [
        `${OVS} on k1 is not alive: it reported last at 2026-03-01 12:00:00 UTC.`,
        'neutron-l3-agent on c1 is not alive: it reported last at 2026-03-01 12:00:00 UTC.',
      ],
    ],
    [
      'have one out of service that the contract names',
      [{ binary: OVS, host: 'k1' }],
      [agent(OVS, 'k1', { adminUp: false })],
      [`${OVS} on k1 is taken out of service (admin_state_up is false).`],
    ],
    ['have one out of service and off', [], [agent(OVS, 'k1', { adminUp: false, alive: false })], []],
  ])('that %s', (_what, wanted, agents, messages) => {
    expect(judgeAgents(wanted, agents).map(({ message }) => message)).toEqual(messages);
  });

  const compute = (host: string, enabled = true): ComputeService => ({
    binary: 'nova-compute',
    host,
    enabled,
    up: true,
    forcedDown: false,
    reason: '',
    reportedAt: '',
  });
  const hypervisor = (host: string, type = 'QEMU') => ({ id: host, name: host, type, host });

  it.each<[string, Backend, Agent[], string[]]>([
    ['wire each host with virtual machines', 'openvswitch', [agent(OVS, 'k1')], []],
    [
      'stand beside those for SR-IOV',
      'openvswitch',
      [agent(OVS, 'k1'), agent('neutron-sriov-nic-agent', 'k1')],
      [],
    ],
    [
      'are not there',
      'openvswitch',
      [],
      [`Host k1 runs virtual machines and has no ${OVS}: no port is bound there.`],
    ],
    [
      'are of another backend',
      'openvswitch',
      [agent('ovn-controller', 'k1')],
      [
        `Host k1 runs virtual machines and has no ${OVS}: no port is bound there.`,
        'ovn-controller on k1 is of another backend; the contract says openvswitch.',
      ],
    ],
    [
      'are of two backends',
      'ovn',
      [agent('ovn-controller', 'k1'), agent(OVS, 'k3')],
      [`${OVS} on k3 is of another backend; the contract says ovn.`],
    ],
  ])('that %s', (_what, backend, agents, messages) => {
    const computes = {
      services: [compute('k1'), compute('k2', false), compute('bare')],
      hypervisors: [hypervisor('k1'), hypervisor('k2'), hypervisor('bare', 'ironic')],
    };
    expect(judgeBackend(backend, agents, computes).map(({ message }) => message)).toEqual(messages);
  });

  it('are needed by nobody where there are no computes', () => {
    expect(judgeBackend('openvswitch', [], { services: [], hypervisors: [] })).toEqual([]);
    expect(toldOfAgents([], [])).toBe('there are none, and the contract wants none');
    expect(
      toldOfAgents([{ binary: OVS, host: 'k1' }], [agent(OVS, 'k1'), agent(OVS, 'k2', { adminUp: false })]),
    ).toBe(`2 alive; out of service: ${OVS} on k2; not in the contract: ${OVS} on k2`);
  });

  it('are read as Neutron lists them', () => {
    expect(
      readAgents([
        {
          id: 'a',
          agent_type: 'Open vSwitch agent',
          binary: OVS,
          host: 'peer-compute',
          admin_state_up: true,
          alive: false,
          heartbeat_timestamp: '2026-12-01 01:00:00',
          started_at: '2026-12-01 00:00:00',
          configurations: {},
        },
      ]),
    ).toEqual([
      {
        binary: OVS,
        host: 'peer-compute',
        type: 'Open vSwitch agent',
        alive: false,
        adminUp: true,
        reportedAt: '2026-12-01 01:00:00',
        startedAt: '2026-12-01 00:00:00',
      },
    ]);
  });
});

import { COMPUTES, CONTROLLERS, VICTIM, type Cloud } from '../cloud.ts';
import { uuidOf, type Wire } from '../state.ts';

const REPORT_MS = 30_000;
const DEAD_MS = 600_000;
const L2 = 'Open vSwitch agent';

/** As Neutron's database has a time. */
const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

/** Every agent of Neutron, as faults leave it. */
export function agents(cloud: Cloud): Wire[] {
  const { neutron } = cloud.faults;
  const [first] = CONTROLLERS;
  const ovn = neutron.on('agentOther');
  const virtual = [first, ...COMPUTES].flatMap((host) => {
    if (host === VICTIM.compute && neutron.on('agentMissing')) return [];
    const alive = host !== VICTIM.compute || !neutron.on('agentDown');
    return ovn
      ? [
          agent(cloud, 'OVN Controller agent', 'ovn-controller', host, alive),
          agent(cloud, 'OVN Metadata agent', 'neutron-ovn-metadata-agent', host, alive),
        ]
      : [agent(cloud, L2, 'neutron-openvswitch-agent', host, alive)];
  });
  return [
    ...virtual,
    ...(ovn
      ? []
      : [
          agent(cloud, 'DHCP agent', 'neutron-dhcp-agent', first, true),
          agent(cloud, 'L3 agent', 'neutron-l3-agent', first, true),
          agent(cloud, 'Metadata agent', 'neutron-metadata-agent', first, true),
        ]),
    ...cloud.state.nodes.map(({ uuid }) =>
      agent(cloud, 'Baremetal Node', 'ironic-neutron-agent', uuid, true),
    ),
  ];
}

function agent(cloud: Cloud, type: string, binary: string, host: string, alive: boolean): Wire {
  const interval = REPORT_MS / cloud.speed;
  const reported = alive ? Math.floor(Date.now() / interval) * interval : Date.now() - DEAD_MS;
  const started = stamp(Date.parse(cloud.state.startedAt));
  return {
    id: uuidOf(`agent/${binary}/${host}`),
    agent_type: type,
    binary,
    topic: 'N/A',
    host,
    admin_state_up: true,
    created_at: started,
    started_at: started,
    heartbeat_timestamp: stamp(reported),
    alive,
    description: null,
    configurations: type === L2 ? { bridge_mappings: { physnet1: 'br-ex' }, tunnel_types: ['vxlan'] } : {},
    resource_versions: {},
    availability_zone: type === 'DHCP agent' || type === 'L3 agent' ? 'nova' : null,
    resources_synced: null,
  };
}

import { expect, it } from 'vitest';
import { readLldpReceive, seenPorts } from '../../../core/redfish/lldp.ts';

const neighbour = { chassisId: null, systemName: null, portId: null, portDescription: null };

it.each([
  [
    'as the schema has it: a port id is octets, whatever they stand for',
    { ChassisId: 'leaf-1', PortId: '45:74:68:31:2F:31', PortIdSubtype: 'IfName', SystemName: 'leaf-1' },
    { ...neighbour, chassisId: 'leaf-1', portId: 'Eth1/1', systemName: 'leaf-1' },
  ],
  [
    'with octets that are a MAC address',
    { ChassisId: '8c:85:c1:a2:ae:80', PortId: '41:42:43:44:45:46', PortIdSubtype: 'MacAddr' },
    { ...neighbour, chassisId: '8c:85:c1:a2:ae:80', portId: '41:42:43:44:45:46' },
  ],
  [
    'with the name of a port that only looks like octets',
    { PortId: '01:12', PortIdSubtype: 'IfName' },
    { ...neighbour, portId: '01:12' },
  ],
  [
    'with the number of a port',
    { PortId: '49', PortIdSubtype: 'LocalAssign' },
    { ...neighbour, portId: '49' },
  ],
  [
    'with the name of a port as it is, as some BMCs show it',
    { ChassisId: '8c:85:c1:a2:ae:80', ChassisIdSubtype: 'MacAddr', PortId: 'swp1', SystemName: 'leaf-1' },
    { ...neighbour, chassisId: '8c:85:c1:a2:ae:80', portId: 'swp1', systemName: 'leaf-1' },
  ],
  [
    'with a word before each value, as the BMC of a BlueField shows it',
    { ChassisId: 'MAC: 8c:85:c1:a2:ae:80', ChassisIdSubtype: 4, PortId: 'Ifname: 1/1/5', PortIdSubtype: 5 },
    { ...neighbour, chassisId: '8c:85:c1:a2:ae:80', portId: '1/1/5' },
  ],
  ['with words for nothing', { ChassisId: 'Not Available', PortId: '', SystemName: null }, null],
  [
    'with other types than the schema',
    { ChassisId: {}, PortId: 7, SystemName: [] },
    { ...neighbour, portId: '7' },
  ],
])('LLDPReceive %s', (_what, LLDPReceive, expected) => {
  expect(readLldpReceive({ Ethernet: { LLDPReceive } })).toEqual(expected);
});

it.each([[undefined], [null], ['x'], [{ Ethernet: [] }], [{ Ethernet: { LLDPReceive: 'x' } }]])(
  'a port like %j tells nothing',
  (body) => expect(readLldpReceive(body)).toBeNull(),
);

it('a port is known by its own MACs, and else by those of the functions that are on it', () => {
  const at = (uri: string) => ({ '@odata.id': uri });
  const Ethernet = { LLDPReceive: { SystemName: 'leaf-1' } };
  const own = {
    LinkStatus: 'LinkUp',
    Ethernet: { ...Ethernet, AssociatedMACAddresses: ['AA:BB:CC:00:00:01'] },
  };
  const functions = [
    {
      uri: '/f/1',
      body: { Ethernet: { MACAddress: 'aa:bb:cc:00:00:02' }, Links: { PhysicalPortAssignment: at('/p/2') } },
    },
    {
      uri: '/f/2',
      body: { Ethernet: { MACAddress: 'aa:bb:cc:00:00:03' }, AssignablePhysicalNetworkPorts: [at('/p/2/')] },
    },
    { uri: '/f/3', body: { Ethernet: { MACAddress: 'aa:bb:cc:00:00:04' } } },
  ];
  const ports = [
    { uri: '/p/1', body: own },
    { uri: '/p/2', body: { LinkStatus: 'LinkDown', Ethernet } },
    { uri: '/p/3', body: {} },
  ];
  const heard = { ...neighbour, systemName: 'leaf-1' };
  expect(seenPorts(ports, functions)).toEqual([
    { mac: 'aa:bb:cc:00:00:01', linkUp: true, neighbour: heard },
    { mac: 'aa:bb:cc:00:00:02', linkUp: false, neighbour: heard },
    { mac: 'aa:bb:cc:00:00:03', linkUp: false, neighbour: heard },
  ]);
});

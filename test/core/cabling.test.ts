import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cablingOf, type ContractPort, type Neighbour, type SeenPort } from '../../core/cabling.ts';

const MAC = '52:54:00:00:00:01';
const silent: Neighbour = { chassisId: null, systemName: null, portId: null, portDescription: null };
const verdict = (port: Omit<ContractPort, 'mac'>, told: Partial<Neighbour>): string =>
  cablingOf([{ mac: MAC, ...port }], [{ mac: MAC, linkUp: true, neighbour: { ...silent, ...told } }])[0]!
    .verdict;

it.each([
  ['leaf-1', { systemName: 'leaf-1' }, 'fits'],
  ['leaf-1', { systemName: 'LEAF-1' }, 'fits'],
  ['leaf-1', { systemName: 'leaf-1.dc.example' }, 'fits'],
  ['leaf-1.dc.example', { systemName: 'Leaf-1' }, 'fits'],
  ['leaf-1.dc.example', { systemName: 'leaf-1.lab.example' }, 'differs'],
  ['leaf-1', { systemName: 'leaf-10' }, 'differs'],
  ['leaf-1', { systemName: 'leaf-10.dc.example' }, 'differs'],
  ['leaf-1', { systemName: 'leaf-2', chassisId: 'leaf-1' }, 'fits'],
  ['AABB.CC00.0102', { chassisId: 'aa:bb:cc:00:01:02' }, 'fits'],
  ['aa-bb-cc-00-01-02', { chassisId: 'aa:bb:cc:00:01:03' }, 'differs'],
  ['leaf-1', { chassisId: 'aa:bb:cc:00:01:02' }, 'untold'],
  ['aa:bb:cc:00:01:02', { systemName: 'leaf-1' }, 'untold'],
  ['leaf-1', { chassisId: '10.0.0.1' }, 'untold'],
  ['10.0.0.1', { systemName: 'leaf-1', chassisId: '10.0.0.1' }, 'fits'],
  ['10.0.0.1', { chassisId: '10.0.0.12' }, 'differs'],
  ['leaf-1', {}, 'untold'],
])('a port on switch %s that hears %j: %s', (name, told, expected) => {
  expect(verdict({ switch: name }, told)).toBe(expected);
});

it.each([
  ['swp1', { portId: 'swp1' }, 'fits'],
  ['swp1', { portId: 'swp10' }, 'differs'],
  ['Ethernet1/1', { portId: 'ethernet 1/1' }, 'fits'],
  ['Ethernet1/1', { portId: 'Eth1/1' }, 'fits'],
  ['Te1/0/14', { portId: 'TenGigabitEthernet1/0/14' }, 'fits'],
  ['Te1/0/14', { portId: 'TenGigabitEthernet1/0/4' }, 'differs'],
  ['Ethernet1/1', { portId: 'Management1/1' }, 'differs'],
  ['xe-0/0/1', { portId: '526', portDescription: 'xe-0/0/1' }, 'fits'],
  ['xe-0/0/1', { portId: '527', portDescription: 'xe-0/0/2' }, 'differs'],
  ['526', { portId: '526', portDescription: 'gpu-01' }, 'fits'],
  ['52', { portId: '526' }, 'differs'],
  ['swp1', { portId: 'aa:bb:cc:00:01:02' }, 'untold'],
  ['swp1', { portId: 'aa:bb:cc:00:01:02', portDescription: 'swp1' }, 'fits'],
  ['AA:BB:CC:00:01:02', { portId: 'aa:bb:cc:00:01:02', portDescription: 'swp1' }, 'fits'],
  ['aa:bb:cc:00:01:03', { portId: 'aa:bb:cc:00:01:02', portDescription: 'swp1' }, 'differs'],
  ['swp1', {}, 'untold'],
])('a port in switch port %s that hears %j: %s', (name, told, expected) => {
  expect(verdict({ switchPort: name }, told)).toBe(expected);
});

describe('a port', () => {
  const port = { mac: MAC, switch: 'leaf-1', switchPort: 'swp1', network: 'provisioning' };
  const heard = (systemName: string, portId: string): Neighbour => ({ ...silent, systemName, portId });

  it('is in its place only if neither switch nor switch port is another', () => {
    expect(verdict(port, heard('leaf-1', 'swp1'))).toBe('fits');
    expect(verdict(port, heard('leaf-1', 'swp2'))).toBe('differs');
    expect(verdict(port, heard('leaf-2', 'swp1'))).toBe('differs');
    expect(verdict(port, { systemName: 'leaf-1' })).toBe('fits');
  });

  it('is told with what was expected and what is there', () => {
    const neighbour = { ...heard('leaf-2', 'swp9'), chassisId: '52:54:02:00:00:02', portDescription: 'swp9' };
    expect(cablingOf([port], [{ mac: MAC, linkUp: true, neighbour }])).toEqual([
      {
        mac: MAC,
        verdict: 'differs',
        expected: 'switch leaf-1 port swp1',
        seen: 'switch leaf-2 (52:54:02:00:00:02) port swp9',
      },
    ]);
  });

  it('is told on one line, whatever the switch calls itself', () => {
    const [found] = cablingOf(
      [port],
      [{ mac: MAC, linkUp: true, neighbour: heard('a\n# b\u202e', 'x'.repeat(300)) }],
    );
    expect(found!.seen).toBe(`switch a?# b? port ${'x'.repeat(64)}`);
  });

  it.each<[string, SeenPort[], string]>([
    ['no such port', [], 'unseen'],
    [
      'another port',
      [{ mac: '52:54:00:00:00:02', linkUp: true, neighbour: heard('leaf-1', 'swp1') }],
      'unseen',
    ],
    ['no link', [{ mac: MAC, linkUp: false, neighbour: null }], 'no-link'],
    [
      'no link, and LLDP of earlier',
      [{ mac: MAC, linkUp: false, neighbour: heard('leaf-2', 'swp1') }],
      'no-link',
    ],
    ['a link that is not told', [{ mac: MAC, linkUp: null, neighbour: heard('leaf-1', 'swp1') }], 'fits'],
    ['link and silence', [{ mac: MAC, linkUp: true, neighbour: null }], 'untold'],
    [
      'a VLAN without link on it',
      [
        { mac: MAC, linkUp: false, neighbour: null },
        { mac: MAC, linkUp: true, neighbour: heard('leaf-1', 'swp1') },
      ],
      'fits',
    ],
  ])('of which is seen %s: %3$s', (_what, seen, expected) => {
    expect(cablingOf([port], seen).map((each) => each.verdict)).toEqual([expected]);
  });

  it('that the contract does not describe is not judged; one of a network needs link alone', () => {
    const dark: SeenPort = { mac: MAC, linkUp: false, neighbour: null };
    expect(cablingOf([{ mac: MAC }], [dark])).toEqual([]);
    expect(cablingOf([{ mac: MAC, network: 'tenant-a' }], [dark])).toEqual([
      { mac: MAC, verdict: 'no-link', expected: 'network tenant-a', seen: 'no link' },
    ]);
  });
});

it('a port that hears what the contract says fits, however both are written', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}-[0-9]{1,3}$/);
  const number = fc.stringMatching(/^(swp|Ethernet)[0-9]{1,3}(\/[0-9]{1,2})?$/);
  fc.assert(
    fc.property(name, number, fc.boolean(), (leaf, switchPort, full) => {
      const told = {
        systemName: `${leaf.toUpperCase()}${full ? '.dc.example' : ''}`,
        portId: switchPort.toLowerCase(),
      };
      expect(verdict({ switch: leaf, switchPort }, told)).toBe('fits');
      expect(verdict({ switch: leaf, switchPort: `${switchPort}9` }, told)).toBe('differs');
    }),
    { seed: 1 },
  );
});

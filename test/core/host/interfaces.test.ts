import { describe, expect, it } from 'vitest';
import { judgeInterfaces, readInterfaces } from '../../../core/host/interfaces.ts';

const answer = (text: string) => ({ text, exit: 0 });

// iproute2 6.1 (Debian 12, Ubuntu 24.04, RHEL 9): two cards in a bond, one that the kernel named, one without a cable.
const ADDRESSES = JSON.stringify([
  {
    ifname: 'lo',
    flags: ['LOOPBACK', 'UP', 'LOWER_UP'],
    address: '00:00:00:00:00:00',
    addr_info: [{ family: 'inet', local: '127.0.0.1' }],
  },
  {
    ifname: 'eno1',
    flags: ['BROADCAST', 'MULTICAST', 'SLAVE', 'UP', 'LOWER_UP'],
    master: 'bond0',
    operstate: 'UP',
    address: '52:54:00:00:00:01',
    addr_info: [],
  },
  {
    ifname: 'eno2',
    flags: ['BROADCAST', 'MULTICAST', 'SLAVE', 'UP', 'LOWER_UP'],
    master: 'bond0',
    operstate: 'UP',
    address: '52:54:00:00:00:01',
    permaddr: '52:54:00:00:00:02',
    addr_info: [],
  },
  {
    ifname: 'bond0',
    flags: ['BROADCAST', 'MULTICAST', 'MASTER', 'UP', 'LOWER_UP'],
    operstate: 'UP',
    address: '52:54:00:00:00:01',
    addr_info: [
      { family: 'inet', local: '192.0.2.11', prefixlen: 24 },
      { family: 'inet6', local: 'fe80::1', prefixlen: 64 },
    ],
  },
  {
    ifname: 'eth0',
    flags: ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'],
    operstate: 'UP',
    address: '52:54:00:00:00:03',
    addr_info: [],
  },
  {
    ifname: 'enp5s0',
    flags: ['NO-CARRIER', 'BROADCAST', 'MULTICAST', 'UP'],
    operstate: 'DOWN',
    address: '52:54:00:00:00:04',
    addr_info: [],
  },
  {
    ifname: 'enp6s0',
    flags: ['BROADCAST', 'MULTICAST'],
    operstate: 'DOWN',
    address: '52:54:00:00:00:05',
    addr_info: [],
  },
]);
const NAMES = [
  'type eno1 4',
  'device eno1',
  'udev eno1 ID_NET_NAME_ONBOARD=eno1',
  'udev eno1 ID_NET_NAME=eno1',
  'type eno2 4',
  'device eno2',
  'type bond0 3',
  'type eth0 1',
  'device eth0',
  'udev eth0 ID_NET_NAME_PATH=enp3s0',
  'udev eth0 ID_NET_LINK_FILE=/usr/lib/systemd/network/99-default.link',
  'type enp5s0 4',
  'device enp5s0',
  'type enp6s0 4',
  'device enp6s0',
].join('\n');
const seen = (names = NAMES, pins = '') =>
  readInterfaces({ addresses: answer(ADDRESSES), names: answer(names), pins: answer(pins) });

describe('an interface', () => {
  it('is read with the MAC address that it was made with', () => {
    expect(seen().find(({ name }) => name === 'eno2')).toEqual({
      name: 'eno2',
      mac: '52:54:00:00:00:02',
      up: true,
      carrier: true,
      addresses: [],
      persistent: true,
      physical: true,
    });
  });

  it.each<[string, string, string, boolean]>([
    ['renamed by udev', 'type eth0 4', '', true],
    ['made by that name', 'type eth0 3', '', true],
    ['named by what the device is', 'type eth0 2', '', true],
    ['counted by the kernel', 'type eth0 1', '', false],
    ['counted, of which the kernel does not say so', 'type eth0', '', false],
    ['counted, and given that name by udev', 'type eth0 1\nudev eth0 ID_NET_NAME=eth0', '', true],
    [
      'counted, and pinned by a .link file',
      'type eth0 1',
      '[Match]\nMACAddress=52:54:00:00:00:03\n\n[Link]\nName=eth0',
      true,
    ],
    [
      'counted, and pinned by a rule',
      'type eth0 1',
      'SUBSYSTEM=="net", ACTION=="add", ATTR{address}=="52:54:00:00:00:03", NAME="eth0"',
      true,
    ],
    [
      'counted, with a rule for another',
      'type eth0 1',
      'SUBSYSTEM=="net", NAME="eth01"\n# NAME="eth0"',
      false,
    ],
  ])('%s keeps its name or does not', (_how, names, pins, persistent) => {
    expect(seen(names, pins).find(({ name }) => name === 'eth0')!.persistent).toBe(persistent);
  });
});

const judge = (name: string, mac?: string, address?: string, others: ReturnType<typeof seen> = []) =>
  judgeInterfaces([{ name, mac, address }], seen(), new Map([['c2', others]])).map(({ message }) => message);

describe('the interfaces of the contract', () => {
  it.each<[string, (string | undefined)?, string?]>([
    ['eno1', '52:54:00:00:00:01'],
    ['eno2', '52:54:00:00:00:02'],
    ['eno1'],
    ['bond0', undefined, '192.0.2.11'],
  ])('%s is there', (name, mac, address) => {
    expect(judge(name, mac, address)).toEqual([]);
  });

  it.each<[string, string | undefined, string | undefined, RegExp[]]>([
    ['ens1', undefined, undefined, [/no interface ens1; it has lo, eno1, eno2/]],
    ['ens1', '52:54:00:00:00:02', undefined, [/no interface ens1; .* is called eno2/]],
    ['eno1', '52:54:00:00:00:02', undefined, [/the contract says .*:02, which eno2 has/]],
    ['eth0', undefined, undefined, [/a name that the kernel gave/]],
    ['enp5s0', undefined, undefined, [/has no carrier/]],
    ['enp6s0', undefined, undefined, [/is down/]],
    ['bond0', undefined, '192.0.2.12', [/does not have the address 192.0.2.12; it has 192.0.2.11/]],
  ])('%s with %s and %s is not', (name, mac, address, messages) => {
    expect(judge(name, mac, address)).toEqual(messages.map((each) => expect.stringMatching(each)));
  });

  it("a MAC address that another controller has too is told; that of a bond is its first card's", () => {
    const copied = seen().filter(({ name }) => name === 'eno2');
    expect(judge('eno2', undefined, undefined, copied)).toEqual([
      expect.stringMatching(/52:54:00:00:00:02, and so has an interface of c2/),
    ]);
    const names = `${NAMES}\ndevice bond0`;
    expect(judgeInterfaces([{ name: 'eno1' }], seen(names), new Map())).toEqual([
      expect.objectContaining({ message: expect.stringContaining('and so has bond0') }),
    ]);
  });

  it('an answer that is no list of interfaces is an error', () => {
    expect(() => readInterfaces({ addresses: answer('{}') })).toThrow('does not say a list');
    expect(() => readInterfaces({ addresses: answer('Option "-j" is unknown') })).toThrow('ip -j addr show');
  });
});

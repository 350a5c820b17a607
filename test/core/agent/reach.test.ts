import { expect, it } from 'vitest';
import { parseCidr } from '../../../core/addresses.ts';
import { addressesToTry, keptAtPlace, reachOf, shownEndpoint } from '../../../core/agent/reach.ts';
import type { GuestPort } from '../../../core/guest-network.ts';

const port = (cidr: string, address: string | null): GuestPort => ({
  mac: '52:54:00:00:00:01',
  cidr: parseCidr(cidr)!,
  address,
  gateway: null,
  dns: [],
});
const guest = (...addresses: string[]) => ({
  addresses: addresses.map((address) => ({ interface: 'eth0', address })),
});
const TOLD = guest('127.0.0.1', 'fe80::1%eth0', '10.2.0.7/24', '172.17.0.1', '10.9.9.9', 'fd00::7', 'x');

it.each([
  ['what the contract gives, whatever the guest says', [port('10.2.0.0/24', '10.2.0.11')], [], ['10.2.0.11']],
  [
    'what lies in the networks of its ports',
    [port('10.2.0.0/24', null), port('fd00::/64', null)],
    [],
    ['10.2.0.7', 'fd00::7'],
  ],
  [
    'all that others could reach, where no port names a network',
    [],
    [],
    ['10.2.0.7', '172.17.0.1', '10.9.9.9', 'fd00::7'],
  ],
  ['none of ours, where another would answer', [], ['172.17.0.1', 'fd00:0::7'], ['10.2.0.7', '10.9.9.9']],
])('tries %s', (_what, ports, own, addresses) => {
  expect(addressesToTry(TOLD, ports, own)).toEqual(addresses);
});

it.each(['0.0.0.0', '127.0.1.1', '239.0.0.1', '255.255.255.255', '::', '::ffff:10.2.0.7', 'ff02::1'])(
  'does not try %s, where the worker would answer itself',
  (address) => {
    expect(addressesToTry(guest(address), [], [])).toEqual([]);
  },
);

it('a port is reached where any address answers on it', () => {
  const knocks = [
    { address: '10.2.0.7', port: 22, outcome: 'silent' },
    { address: 'fd00::7', port: 22, outcome: 'open' },
    { address: '10.2.0.7', port: 443, outcome: 'refused' },
    { address: 'fd00::7', port: 443, outcome: 'silent' },
  ];
  const { reached, missed } = reachOf(knocks);
  expect(reached.map(shownEndpoint)).toEqual(['[fd00::7]:22']);
  expect(missed.map(shownEndpoint)).toEqual(['10.2.0.7:443', '[fd00::7]:443']);
});

it.each<[string[], string | undefined]>([
  [['ENETUNREACH'], 'it has no route to that network'],
  [
    ['EMFILE', 'ENFILE', 'EACCES'],
    'it has no file descriptor left, and its own firewall or routes forbid the connection',
  ],
  [['ENOTFOUND'], 'it finds no address for the name'],
  [['failed'], 'its attempts fail, and do not say why'],
  [['EADDRNOTAVAIL', 'silent'], undefined],
  [['EACCES', 'refused'], undefined],
  [['EHOSTUNREACH'], undefined],
  [['ECONNRESET'], undefined],
  [[], undefined],
])('connections that end as %j are kept where they are tried from: %s', (outcomes, why) => {
  expect(keptAtPlace(outcomes.map((outcome) => ({ outcome })))).toBe(why);
});

import { expect, it } from 'vitest';
import { readGuestReport } from '../../../core/agent/guest-report.ts';
import { clockDifferences, networkDifferences, untold } from '../../../core/agent/guest-standing.ts';
import { parseCidr } from '../../../core/addresses.ts';
import type { GuestPort } from '../../../core/guest-network.ts';

const MAC = '52:54:00:00:00:01';
const port: GuestPort = {
  mac: MAC,
  cidr: parseCidr('10.2.0.0/24')!,
  address: '10.2.0.11',
  gateway: '10.2.0.1',
  dns: ['10.2.0.53'],
};
const six: GuestPort = {
  mac: '52:54:00:00:00:02',
  cidr: parseCidr('fd00::/64')!,
  address: 'fd00::11',
  gateway: 'fd00::1',
  dns: [],
};
const dhcp: GuestPort = { ...port, address: null, gateway: null, dns: [] };
const has = { addresses: [{ address: '10.2.0.11/24' }] };
const route = (destination: string, gateway: string | null) => ({ destination, gateway, interface: 'eth0' });

it.each([
  ['all of it', { ...has, routes: [route('default', '10.2.0.1')], dns: ['10.2.0.53'] }, [port], []],
  ['a route in numbers', { ...has, routes: [route('0.0.0.0/0', '10.2.0.1')] }, [port], []],
  [
    'IPv6, written otherwise',
    { addresses: [{ address: 'FD00:0::11' }], routes: [route('::/0', 'fd00:0:0::1')] },
    [six],
    [],
  ],
  ['nothing told', has, [port], []],
  [
    'another address',
    { addresses: [{ address: '10.2.0.12' }] },
    [port],
    [`no address 10.2.0.11, which the contract gives port ${MAC}`],
  ],
  ['no routes', { ...has, routes: [] }, [port], ['no default route by 10.2.0.1']],
  [
    'no default route',
    { ...has, routes: [route('10.2.0.0/24', null)] },
    [port],
    ['no default route by 10.2.0.1'],
  ],
  [
    'another gateway',
    { ...has, routes: [route('default', '10.9.9.9\n'), route('default', 'fd00::1')] },
    [port],
    ["its default route is by 10.9.9.9, and the contract's gateway is 10.2.0.1"],
  ],
  ['no server', { ...has, dns: [] }, [port], ['it does not ask DNS server 10.2.0.53']],
  ['another server', { ...has, dns: ['8.8.8.8'] }, [port], ['it does not ask DNS server 10.2.0.53']],
  ['a resolver of its own', { ...has, dns: ['127.0.0.53'] }, [port], []],
  ['whatever DHCP gave', { ...has, routes: [], dns: [] }, [dhcp], []],
] as const)('a network with %s', (_what, report, ports, differences) => {
  expect(networkDifferences(readGuestReport(report), ports)).toEqual(differences);
});

const TAKEN = '2026-03-01T12:00:00Z';
it.each([
  ['2026-03-01T12:00:00Z', []],
  ['2026-03-01T12:01:00Z', []],
  ['2026-03-01T13:00:00+01:00', []],
  ['2026-03-01T11:58:59Z', ['its clock is 61 s behind']],
  ['2026-03-01T14:00:00Z', ['its clock is 7200 s ahead']],
  ['2026-03-01T14:00:00+0200', []],
  ['yesterday', []],
  ['12', []],
  ['2026-03-01T23:00:00', []],
  [undefined, []],
])('a clock that shows %s at noon', (time, differences) => {
  expect(clockDifferences(readGuestReport({ time, receivedAt: TAKEN }))).toEqual(differences);
});

it('a clock is not judged where nobody knows when the report was taken', () => {
  expect(clockDifferences(readGuestReport({ time: '1970-01-01T00:00:00Z' }))).toEqual([]);
});

it('says what a guest does not tell, of what would have been judged', () => {
  expect(untold(readGuestReport({}), [port])).toEqual(['links', 'routes', 'DNS servers', 'time']);
  expect(untold(readGuestReport({}), [dhcp])).toEqual(['links', 'time']);
  const told = { links: [{ mac: MAC, up: true }], routes: [], dns: ['127.0.0.53'], time: TAKEN };
  expect(untold(readGuestReport(told), [port])).toEqual(['DNS servers']);
});

import { describe, expect, it } from 'vitest';
import { gatewaysOf, judgeGateways, judgeRoutes, routesFrom } from '../../../core/host/routes.ts';

const C1 = {
  name: 'c1',
  address: '192.0.2.11',
  interfaces: [
    { name: 'eno1', network: 'control', address: '192.0.2.11' },
    { name: 'eno2', network: 'storage' },
  ],
  reaches: [{ host: 'ntp.example.org', port: 4460 }],
};
const C2 = {
  name: 'c2',
  address: '192.0.2.12',
  ssh: { port: 2222 },
  interfaces: [
    { name: 'eno1', network: 'control', address: '192.0.2.12' },
    { name: 'eno2', network: 'storage', address: '198.51.100.12' },
    { name: 'eno3', network: 'tenant', address: '203.0.113.12' },
  ],
};
const BMCS = [
  { of: 'n1', address: 'https://10.0.0.1' },
  { of: 'n2', address: 'https://[fd00::2]:8443/proxy' },
  { of: 'n3', address: 'https://10.0.0.1' },
];
const ROUTES = routesFrom(C1, [C1, C2], BMCS);

it('a controller has to reach the others in the networks that it is in, what it is said to, and each BMC once', () => {
  expect(ROUTES.map(({ what, address, port, wants }) => [what, address, port, wants])).toEqual([
    ['controller c2', '192.0.2.12', 2222, 'host'],
    ['controller c2 in storage', '198.51.100.12', 2222, 'host'],
    ['what it has to reach', 'ntp.example.org', 4460, 'service'],
    ['the BMC of n1', '10.0.0.1', 443, 'service'],
    ['the BMC of n2', 'fd00::2', 8443, 'service'],
  ]);
});

const judge = (over: { readonly [address: string]: string }) =>
  judgeRoutes(
    ROUTES,
    ROUTES.map(({ address, port }) => ({ address, port, outcome: over[address] ?? 'open' })),
  );

describe('a connection', () => {
  it('that is taken is right, and one that a host refuses where only the host is wanted', () => {
    expect(judge({ '192.0.2.12': 'refused' })).toEqual({ wrong: [], silent: [], nameless: [] });
  });

  it.each<[string, string, RegExp, string | undefined]>([
    ['10.0.0.1', 'refused', /is refused by the BMC of n1 \(10.0.0.1:443\)/, 'bmc'],
    ['ntp.example.org', 'refused', /is refused by what it has to reach/, 'control-host'],
    ['10.0.0.1', 'ENETUNREACH', /does not reach the BMC of n1 .*: it has no route to it\./, undefined],
    ['192.0.2.12', 'EHOSTUNREACH', /does not reach controller c2 .*nobody has that address/, undefined],
    ['192.0.2.12', 'EACCES', /its own firewall/, undefined],
  ])('to %s that ends as %s is wrong', (address, outcome, message, faultDomain) => {
    expect(judge({ [address]: outcome })).toEqual({
      wrong: [
        expect.objectContaining({
          message: expect.stringMatching(message),
          ...(faultDomain ? { faultDomain } : {}),
        }),
      ],
      silent: [],
      nameless: [],
    });
  });

  it('that nobody answers cannot be told, nor one that ends in a way of its own', () => {
    expect(judge({ '10.0.0.1': 'silent', 'fd00::2': 'ECONNRESET' })).toEqual({
      wrong: [],
      silent: ['the BMC of n1 (10.0.0.1:443)', 'the BMC of n2 ([fd00::2]:8443): ECONNRESET'],
      nameless: [],
    });
    expect(judgeRoutes(ROUTES.slice(0, 1), []).silent).toEqual([
      'controller c2 (192.0.2.12:2222): not tried',
    ]);
  });
});

it('a name that the host finds no address for is neither wrong nor silent', () => {
  expect(judge({ 'ntp.example.org': 'ENOTFOUND' })).toEqual({
    wrong: [],
    silent: [],
    nameless: ['what it has to reach (ntp.example.org:4460)'],
  });
});

describe('a gateway', () => {
  const GATEWAYS = gatewaysOf(C1, {
    control: { gateway: '192.0.2.1' },
    storage: {},
    tenant: { gateway: '203.0.113.1' },
  });
  const say = (ping: number, route: string, neighbour = '', tcp = '') =>
    judgeGateways(GATEWAYS, {
      gateways: {
        text: `gateway 192.0.2.1 ping ${ping}\ngateway 192.0.2.1 tcp ${tcp}\ngateway 192.0.2.1 route ${route}\ngateway 192.0.2.1 neighbour ${neighbour}`,
        exit: 0,
      },
    });
  const ON_LINK = '192.0.2.1 dev eno1 src 192.0.2.11 uid 0 cache';

  it('is that of each network that the controller has an interface in', () => {
    expect(GATEWAYS).toEqual([{ network: 'control', gateway: '192.0.2.1' }]);
  });

  it('that answers is right, and one that does not, and is on the link', () => {
    const right = { wrong: [], silent: [], nameless: [] };
    expect(say(0, ON_LINK)).toEqual(right);
    expect(say(1, ON_LINK, '192.0.2.1 dev eno1 lladdr 52:54:00:00:00:01 REACHABLE')).toEqual(right);
    expect(say(127, ON_LINK, '', 'bash: connect: Connection refused')).toEqual(right);
    expect(say(127, ON_LINK, '192.0.2.1 dev eno1 lladdr 52:54:00:00:00:01 REACHABLE')).toEqual(right);
  });

  it.each([
    [2, 'RTNETLINK answers: Network is unreachable', '', /has no route to the gateway of control/],
    [0, '192.0.2.1 via 10.9.9.1 dev eno9 src 10.9.9.2 uid 0 cache', '', /by another gateway, 10.9.9.1/],
    [1, ON_LINK, '192.0.2.1 dev eno1 FAILED', /Nobody on the link has the address/],
    [127, ON_LINK, '192.0.2.1 dev eno1 INCOMPLETE', /Nobody on the link has the address/],
  ])('that says %s, %j, %j is wrong', (ping, route, neighbour, message) => {
    expect(say(ping, route, neighbour)).toEqual({
      wrong: [expect.objectContaining({ message: expect.stringMatching(message) })],
      silent: [],
      nameless: [],
    });
  });

  it('of which nothing is heard cannot be told', () => {
    const silent = { wrong: [], silent: ['the gateway of control (192.0.2.1)'], nameless: [] };
    expect(say(1, ON_LINK)).toEqual(silent);
    expect(say(1, ON_LINK, '192.0.2.1 dev eno1 lladdr 52:54:00:00:00:01 STALE')).toEqual(silent);
  });
});

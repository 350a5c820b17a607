import { describe, expect, it } from 'vitest';
import { computeProblems, hypervisorProblems, ironicComputes } from '../../../core/openstack/compute.ts';
import { readHypervisors, readServices } from '../../../core/openstack/compute-services.ts';
import { networkProblems, nodeNetworkProblems, readNetwork } from '../../../core/openstack/networks.ts';
import { answerOf, judgePublished } from '../../../core/openstack/published.ts';

const messages = (found: readonly { message: string }[]): string[] => found.map(({ message }) => message);

describe('nova-compute with the driver of Ironic', () => {
  const services = readServices([
    { host: 'up', state: 'up', status: 'enabled' },
    { host: 'down', state: 'down', status: 'enabled', updated_at: '2026-03-01T12:00:00' },
    { host: 'off', state: 'up', status: 'disabled', disabled_reason: 'moving' },
    { host: 'kvm', state: 'up', status: 'enabled' },
  ]);
  const hypervisors = readHypervisors([
    { hypervisor_hostname: 'u1', hypervisor_type: 'ironic', service: { host: 'up' } },
    { hypervisor_hostname: 'kvm', hypervisor_type: 'QEMU', service: { host: 'kvm' } },
  ]);

  it.each<[string, string[]]>([
    ['up', []],
    [
      'down',
      ["nova-compute on down, which has Ironic's driver, is down: it reported last at 2026-03-01T12:00:00."],
    ],
    ['off', ['nova-compute on off is disabled (moving): no server is scheduled to its nodes.']],
    ['kvm', ["nova-compute on kvm has hypervisors of type QEMU, and not Ironic's nodes."]],
    ['gone', ['Nova knows no nova-compute on gone; it knows up, down, off, kvm.']],
  ])('on %s', (host, found) => {
    expect(messages(computeProblems(host, services, hypervisors))).toEqual(found);
  });

  it('is found by its nodes where the contract names none', () => {
    expect(ironicComputes(undefined, hypervisors)).toEqual(['up']);
    expect(ironicComputes(['x'], hypervisors)).toEqual(['x']);
    expect(ironicComputes(undefined, [])).toEqual([]);
  });

  it('has the nodes that can be given out, and no others', () => {
    const node = (uuid: string, provisionState: string) => ({ uuid, name: uuid, provisionState });
    expect(hypervisorProblems([node('u1', 'available'), node('u2', 'manageable')], hypervisors)).toEqual([]);
    expect(messages(hypervisorProblems([node('u2', 'available')], hypervisors))).toEqual([
      'Node u2 (u2) is available in Ironic, and no hypervisor in Nova: nobody can be given it.',
      'Nova has hypervisor u1 on up, and Ironic has no such node: servers would be scheduled to nothing.',
    ]);
  });
});

describe('the provisioning network', () => {
  const subnets = [
    { id: 's1', name: 'prov-v4', network_id: 'id-1', cidr: '10.1.0.0/24', enable_dhcp: false },
  ];
  const network = (over: object = {}) =>
    readNetwork(
      {
        id: 'id-1',
        name: 'prov',
        status: 'ACTIVE',
        admin_state_up: true,
        'provider:segmentation_id': 7,
        ...over,
      },
      subnets,
    );

  it.each<[string, Parameters<typeof networkProblems>[0], ReturnType<typeof network>[], string[]]>([
    ['as it is to be', { name: 'prov', cidr: '10.1.0.0/24', vlan: 7, dhcp: false }, [network()], []],
    ['by its id', { name: 'id-1' }, [network(), network({ id: 'id-2', name: 'id-1' })], []],
    [
      'missing',
      { name: 'x' },
      [network()],
      ['Neutron has no network x, or the user of the contract may not see it.'],
    ],
    [
      'twice',
      { name: 'prov' },
      [network(), network({ id: 'id-2' })],
      ['Neutron has 2 networks of the name prov: which one nodes are put into is chance.'],
    ],
    [
      'down',
      { name: 'prov' },
      [network({ status: 'DOWN', admin_state_up: false })],
      ['Network prov is administratively down.', 'Network prov is DOWN, and not ACTIVE.'],
    ],
    [
      'on another VLAN',
      { name: 'prov', vlan: 8 },
      [network()],
      ['Network prov has VLAN 7 in Neutron, and 8 in the contract.'],
    ],
    [
      'without the subnet',
      { name: 'prov', cidr: '10.2.0.0/24' },
      [network()],
      ['Network prov has no subnet 10.2.0.0/24; it has: 10.1.0.0/24.'],
    ],
    [
      'without DHCP',
      { name: 'prov', dhcp: true },
      [network()],
      ['Subnet 10.1.0.0/24 of network prov gives no addresses by DHCP.'],
    ],
    [
      'flat: its VLAN is of the switch, and contradicts nothing',
      { name: 'prov', vlan: 8 },
      [network({ 'provider:segmentation_id': null })],
      [],
    ],
  ])('%s', (_what, wanted, networks, found) => {
    expect(messages(networkProblems(wanted, networks))).toEqual(found);
  });

  it.each<[object, string[]]>([
    [{}, []],
    [{ provisioning_network: 'prov', cleaning_network: 'id-1' }, []],
    [
      { cleaning_network: 'gone' },
      ['Node n1 has cleaning_network gone, and Neutron has no network of that name.'],
    ],
    [
      { provisioning_network: 'other' },
      ['Node n1 is deployed in network other, and the contract says prov.'],
    ],
  ])('that a node names: %j', (driverInfo, found) => {
    const networks = [network(), network({ id: 'id-2', name: 'other' })];
    expect(
      messages(nodeNetworkProblems({ name: 'n1', driverInfo: { ...driverInfo } }, networks, 'prov')),
    ).toEqual(found);
  });
});

describe('an address that is asked by HTTP', () => {
  const asked = {
    what: 'boot images',
    url: 'http://10.0.0.1/boot.iso',
    from: 'the worker',
    faultDomain: 'media-publisher' as const,
    anyAnswer: false,
  };
  it.each<[string, object, Parameters<typeof judgePublished>[1], 'right' | 'wrong' | 'untold']>([
    ['is there', {}, { status: 200 }, 'right'],
    ['is gone', {}, { status: 404 }, 'wrong'],
    ['refuses the connection', {}, { refused: true }, 'wrong'],
    ['does not answer', {}, { silent: 'no answer in time' }, 'untold'],
    ['has trouble', {}, { status: 503 }, 'untold'],
    ['wants to know who asks', {}, { status: 403 }, 'untold'],
    ['is a folder that is not listed', { url: 'http://10.0.0.1/' }, { status: 403 }, 'right'],
    ['answers whatever it is', { anyAnswer: true }, { status: 405 }, 'right'],
    ['has trouble, whatever it is', { anyAnswer: true }, { status: 502 }, 'untold'],
  ])('%s', (_what, over, answer, kind) => {
    expect(Object.keys(judgePublished({ ...asked, ...over }, answer))).toEqual([kind]);
  });

  it.each<[Parameters<typeof answerOf>[0], ReturnType<typeof answerOf>]>([
    [{ outcome: 'answered', status: 200 }, { status: 200 }],
    [{ outcome: 'refused' }, { refused: true }],
    [{ outcome: 'silent' }, { silent: 'no answer in time' }],
    [{ outcome: 'ENOTFOUND' }, { silent: 'ENOTFOUND' }],
    [{ outcome: 'untrusted' }, { silent: 'its certificate is not trusted' }],
  ])('by a try: %j', (probed, answer) => {
    expect(answerOf(probed)).toEqual(answer);
  });
});

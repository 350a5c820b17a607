import { expect, it } from 'vitest';
import { guestPorts, networkConfig, networkData } from '../../core/guest-network.ts';

const NETWORKS = {
  tenant: { cidr: '10.2.0.0/20', gateway: '10.2.0.1', dns: ['10.2.0.53', 'fd00::53'] },
  six: { cidr: 'fd00:2::/64', gateway: 'fd00:2::1' },
  storage: { cidr: '10.3.0.0/24' },
};
const ports = guestPorts(
  [
    { mac: '52:54:00:00:00:01', network: 'tenant', address: '10.2.0.11' },
    { mac: '52:54:00:00:00:02', network: 'six', address: 'fd00:2::11' },
    { mac: '52:54:00:00:00:03', network: 'storage' },
    { mac: '52:54:00:00:00:04' },
    { mac: '52:54:00:00:00:05', network: 'unknown' },
  ],
  NETWORKS,
);

it('leaves ports that name no network to the image', () => {
  expect(ports.map(({ mac, address, gateway }) => [mac, address, gateway])).toEqual([
    ['52:54:00:00:00:01', '10.2.0.11', '10.2.0.1'],
    ['52:54:00:00:00:02', 'fd00:2::11', 'fd00:2::1'],
    ['52:54:00:00:00:03', null, null],
  ]);
});

it('says it in the words of OpenStack', () => {
  expect(networkData(ports)).toEqual({
    links: [
      { id: 'port0', type: 'phy', ethernet_mac_address: '52:54:00:00:00:01' },
      { id: 'port1', type: 'phy', ethernet_mac_address: '52:54:00:00:00:02' },
      { id: 'port2', type: 'phy', ethernet_mac_address: '52:54:00:00:00:03' },
    ],
    networks: [
      {
        id: 'network0',
        link: 'port0',
        type: 'ipv4',
        ip_address: '10.2.0.11',
        netmask: '255.255.240.0',
        routes: [{ network: '0.0.0.0', netmask: '0.0.0.0', gateway: '10.2.0.1' }],
      },
      {
        id: 'network1',
        link: 'port1',
        type: 'ipv6',
        ip_address: 'fd00:2::11',
        netmask: 'ffff:ffff:ffff:ffff:0:0:0:0',
        routes: [{ network: '::', netmask: '::', gateway: 'fd00:2::1' }],
      },
      { id: 'network2', link: 'port2', type: 'ipv4_dhcp' },
    ],
    services: [
      { type: 'dns', address: '10.2.0.53' },
      { type: 'dns', address: 'fd00::53' },
    ],
  });
});

it('says it in the words of cloud-init', () => {
  expect(networkConfig(ports)).toEqual({
    version: 2,
    ethernets: {
      port0: {
        match: { macaddress: '52:54:00:00:00:01' },
        addresses: ['10.2.0.11/20'],
        routes: [{ to: '0.0.0.0/0', via: '10.2.0.1' }],
        nameservers: { addresses: ['10.2.0.53', 'fd00::53'] },
      },
      port1: {
        match: { macaddress: '52:54:00:00:00:02' },
        addresses: ['fd00:2::11/64'],
        routes: [{ to: '::/0', via: 'fd00:2::1' }],
      },
      port2: { match: { macaddress: '52:54:00:00:00:03' }, dhcp4: true },
    },
  });
});

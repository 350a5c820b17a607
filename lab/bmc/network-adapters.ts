import { SWITCH_DOMAIN, type Nic } from '../hardware.ts';
import type { Server } from '../server.ts';
import { collection, link, OK, resource, type Resource, type Tree } from './services.ts';

/** The network adapter in the chassis and its ports. They have link and hear LLDP on standby power, too. */
export function adapterTree(server: Server, chassis: string): Tree {
  const adapters = `${chassis}/NetworkAdapters`;
  const ports = `${adapters}/NIC/Ports`;
  const { nics } = server.parts;
  return {
    [adapters]: () => collection(adapters, 'NetworkAdapter', ['NIC']),
    [`${adapters}/NIC`]: () =>
      resource(`${adapters}/NIC`, 'NetworkAdapter.v1_9_0.NetworkAdapter', 'Network adapter', {
        Manufacturer: server.hardware.manufacturer,
        Ports: link(ports),
        Status: OK,
      }),
    [ports]: () =>
      collection(
        ports,
        'Port',
        nics.map((_, i) => String(i + 1)),
      ),
    ...Object.fromEntries(
      nics.map((nic, i) => [
        `${ports}/${i + 1}`,
        () =>
          resource(`${ports}/${i + 1}`, 'Port.v1_9_0.Port', `Port ${i + 1}`, {
            PortProtocol: 'Ethernet',
            LinkNetworkTechnology: 'Ethernet',
            LinkStatus: nic.cable === null ? 'LinkDown' : 'LinkUp',
            Ethernet: {
              AssociatedMACAddresses: [nic.mac],
              LLDPEnabled: true,
              ...received(server, nic),
            },
            Status: OK,
          }),
      ]),
    ),
  };
}

function received({ faults }: Server, { cable }: Nic): Resource {
  if (cable === null || !cable.speaks || faults.on('bmcHidesLldp')) return {};
  return {
    LLDPReceive: {
      ChassisId: cable.chassisMac,
      ChassisIdSubtype: 'MacAddr',
      PortId: octets(cable.switchPort),
      PortIdSubtype: 'IfName',
      SystemName: `${cable.switch}.${SWITCH_DOMAIN}`,
    },
  };
}

/** As the schema wants a port id, also one that is a name: `73:77:70:31`. */
const octets = (text: string): string =>
  [...Buffer.from(text)].map((octet) => octet.toString(16).toUpperCase().padStart(2, '0')).join(':');

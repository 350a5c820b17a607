import type { Cloud } from '../cloud.ts';
import type { Wire } from '../state.ts';

/** Networks as they are shown, as faults have them. */
export const shownNetworks = (cloud: Cloud): Wire[] =>
  cloud.faults.neutron.on('networkDown')
    ? ofProvisioning(cloud, cloud.state.networks, 'id', { status: 'DOWN' })
    : cloud.state.networks;

/** Subnets as they are shown. */
export const shownSubnets = (cloud: Cloud): Wire[] =>
  cloud.faults.neutron.on('networkDhcp')
    ? ofProvisioning(cloud, cloud.state.subnets, 'network_id', { enable_dhcp: true })
    : cloud.state.subnets;

/** What of a list is about the network that nodes are deployed in is another. */
function ofProvisioning(cloud: Cloud, list: readonly Wire[], key: string, part: Wire): Wire[] {
  const id = cloud.state.networks.find(({ name }) => name === 'provisioning')?.['id'];
  return list.map((each) => (each[key] === id ? { ...each, ...part } : each));
}

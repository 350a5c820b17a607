import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Json } from '../../peers/openstack/api.ts';
import { NODES } from '../../peers/openstack/content.ts';
import { serviceDown, type Mend } from '../../peers/openstack/faults.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import * as s from '../../peers/openstack/site.ts';
import { shownFailing } from '../../support/shown.ts';
import { Base } from './bench.ts';

const NETWORK = 'provisioning';
const CIDR = '198.18.1.0/24';

/** What gate 4 asks of Nova and of Neutron. */
export function gate4Whole(cloud: () => OpenStackPeer): void {
  describe('gate 4, with Nova and Neutron', () => {
    const base = new Base(4);
    const shown = shownFailing('OpenStack 2026.1', ['ironic-compute', 'provisioning-network']);
    let network: string;
    let subnet: string;

    const neutron = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object): Promise<Json> =>
      cloud().admin.call(method, 'neutron', `/v2.0/${path}`, body);
    async function makeNetwork(): Promise<void> {
      const made = await neutron('POST', 'networks', { network: { name: NETWORK } });
      network = made.network.id;
      await makeSubnet();
    }
    async function makeSubnet(): Promise<void> {
      const made = await neutron('POST', 'subnets', {
        subnet: { network_id: network, ip_version: 4, cidr: CIDR, enable_dhcp: true },
      });
      subnet = made.subnet.id;
    }

    beforeAll(async () => {
      await base.open();
      await makeNetwork();
    });
    afterAll(() => base.close());

    const contract = (): Inventory =>
      base.contract(
        cloud(),
        {
          bareMetal: {
            nodes: [...NODES],
            computes: [s.IRONIC_COMPUTE_HOST],
            drivers: [{ name: 'fake-hardware', interfaces: { boot: 'fake', network: 'noop' } }],
            provisioningNetwork: { name: NETWORK, network: NETWORK, dhcp: true },
          },
        },
        { networks: { [NETWORK]: { cidr: CIDR, kind: 'provisioning' } } },
      );

    it('passes', () => base.passes(contract()));

    /** Nova gives its nodes to nobody. */
    const disabled = async (): Promise<Mend> => {
      const { admin } = cloud();
      const asked = `/os-services?binary=nova-compute&host=${s.IRONIC_COMPUTE_HOST}`;
      const { services } = await admin.call('GET', 'nova', asked);
      const set = (status: string): Promise<Json> =>
        admin.call('PUT', 'nova', `/os-services/${services[0].id}`, { status });
      await set('disabled');
      return async () => void (await set('enabled'));
    };
    it.each<[string, RegExp, () => Promise<Mend>]>([
      ['is stopped', /peer-ironic, .* is down/, () => serviceDown(cloud(), 'nova-compute-ironic')],
      ['is disabled', /nova-compute on peer-ironic is disabled/, disabled],
    ])('the nova-compute of Ironic %s', async (_what, message, fault) => {
      await base.failing(contract(), 'ironic-compute', message, fault);
      shown('ironic-compute');
    });

    const change =
      (kind: 'network' | 'subnet', id: () => string, option: string) => async (): Promise<Mend> => {
        const set = (to: boolean): Promise<Json> =>
          neutron('PUT', `${kind}s/${id()}`, { [kind]: { [option]: to } });
        await set(false);
        return async () => void (await set(true));
      };
    it.each<[string, RegExp, () => Promise<Mend>]>([
      [
        'is down',
        /Network provisioning is administratively down/,
        change('network', () => network, 'admin_state_up'),
      ],
      ['has no DHCP', /gives no addresses by DHCP/, change('subnet', () => subnet, 'enable_dhcp')],
      [
        'has no subnet of the contract',
        /has no subnet 198.18.1.0/,
        async () => {
          await neutron('DELETE', `subnets/${subnet}`);
          return makeSubnet;
        },
      ],
      [
        'is deleted',
        /Neutron has no network provisioning/,
        async () => {
          await neutron('DELETE', `networks/${network}`);
          return makeNetwork;
        },
      ],
    ])('the provisioning network %s', async (_what, message, fault) => {
      await base.failing(contract(), 'provisioning-network', message, fault, {
        domain: 'provisioning-network',
      });
      shown('provisioning-network');
    });
  });
}

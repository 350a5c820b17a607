import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { until, type Json } from '../../peers/openstack/api.ts';
import { serviceDown } from '../../peers/openstack/faults.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import type { Service } from '../../peers/openstack/services.ts';
import * as s from '../../peers/openstack/site.ts';
import { shownFailing } from '../../support/shown.ts';
import { Base, HOST } from './bench.ts';

/** Nova, Neutron, Placement and what reports to them. */
export function gate3Whole(cloud: () => OpenStackPeer): void {
  describe('gate 3', () => {
    const base = new Base(3);
    const shown = shownFailing('OpenStack 2026.1', [
      'compute-services',
      'network-agents',
      'queue-clients',
      'placement-inventory',
    ]);
    beforeAll(() => base.open());
    afterAll(() => base.close());

    const contract = (over: object = {}): Inventory =>
      base.contract(cloud(), {
        compute: {
          services: [
            { binary: 'nova-conductor', host: s.COMPUTE_HOST },
            { binary: 'nova-scheduler', host: s.COMPUTE_HOST },
            { binary: 'nova-compute', host: s.COMPUTE_HOST, hypervisor: 'fake' },
            { binary: 'nova-compute', host: s.IRONIC_COMPUTE_HOST, hypervisor: 'ironic' },
          ],
        },
        network: {
          agents: [{ binary: 'neutron-openvswitch-agent', host: s.COMPUTE_HOST }],
          backend: 'openvswitch',
        },
        // Longer than it takes until somebody who is silent is called down.
        watch: '24s',
        ...over,
      });
    /** What each service says itself; heavy programs, which are asked where nothing is wrong, and not beside each fault. */
    const commands = () => {
      const command = (service: string, from: Service, program: string, ...ends: string[]) => ({
        service,
        from: HOST,
        command: [cloud().program(program), ...cloud().configArguments(from), ...ends],
      });
      return [
        command('identity', 'keystone', 'keystone-manage', 'db_sync', '--check'),
        command('image', 'glance', 'glance-manage', 'db', 'check'),
        command('network', 'neutron-api', 'neutron-db-manage', 'current'),
        command('compute', 'nova-api', 'nova-status', 'upgrade', 'check'),
        command('placement', 'placement', 'placement-status', 'upgrade', 'check'),
        command('baremetal', 'ironic-api', 'ironic-status', 'upgrade', 'check'),
      ];
    };
    const computes = (up: boolean): Promise<unknown> =>
      until('the computes', async () => {
        const { services } = await cloud().admin.call('GET', 'nova', '/os-services?binary=nova-compute');
        return services.every(({ state }: Json) => state === (up ? 'up' : 'down'));
      });

    it('passes', () => base.passes(contract({ commands: commands() })));

    it.each<[Service, RegExp]>([
      ['nova-compute', /nova-compute on peer-compute is down/],
      ['nova-scheduler', /nova-scheduler on peer-compute is down/],
    ])('has no %s', async (service, message) => {
      await base.failing(contract(), 'compute-services', message, () => serviceDown(cloud(), service));
      shown('compute-services');
    });

    it('has no conductor, without which computes cannot report', async () => {
      await base.failing(
        contract(),
        'compute-services',
        /nova-conductor on peer-compute is down/,
        async () => {
          const mend = await serviceDown(cloud(), 'nova-conductor');
          await computes(false);
          return async () => {
            await mend();
            await computes(true);
          };
        },
      );
    });

    it('has no agent that wires ports', async () => {
      const message = /neutron-openvswitch-agent on peer-compute is not alive/;
      await base.failing(contract(), 'network-agents', message, () => serviceDown(cloud(), 'l2-agent'));
      shown('network-agents');
    });

    it('has an agent that reports no more, and is still called alive', async () => {
      const message = /neutron-openvswitch-agent on peer-.* is not stable: down after/;
      await base.failing(contract(), 'queue-clients', message, async () => {
        const pid = cloud().pid('l2-agent')!;
        process.kill(pid, 'SIGSTOP');
        return async () => {
          process.kill(pid, 'SIGCONT');
          await until('the agents', async () => {
            const { agents } = await cloud().admin.call('GET', 'neutron', '/v2.0/agents');
            return agents.every(({ alive }: Json) => alive);
          });
        };
      });
      shown('queue-clients');
    });

    it('has a node that Placement does not know', async () => {
      const providers = async (): Promise<Json[]> =>
        (await cloud().admin.call('GET', 'placement', '/resource_providers')).resource_providers;
      const before = await providers();
      await base.failing(contract(), 'placement-inventory', /Placement has no provider for/, async () => {
        const gone = before.find(({ name }: Json) => name !== s.COMPUTE_HOST);
        await cloud().admin.call('DELETE', 'placement', `/resource_providers/${gone.uuid}`);
        return async () => {
          await cloud().stop('nova-compute-ironic');
          await cloud().start('nova-compute-ironic');
          await until('the provider', async () => (await providers()).length === before.length);
          await computes(true);
        };
      });
      shown('placement-inventory');
    });
  });
}

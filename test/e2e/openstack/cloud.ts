import { describe, expect, it } from 'vitest';
import { ask, issueToken, until, type Json } from '../../peers/openstack/api.ts';
import { quotaFull, revokedToken, serviceDown } from '../../peers/openstack/faults.ts';
import { IMAGE, IMAGE_BYTES, NETWORK, NODES, uploadImage } from '../../peers/openstack/content.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import * as s from '../../peers/openstack/site.ts';

/** The cloud itself, asked plainly: what the gates find has to be there. */
export function cloudIsUp(cloud: () => OpenStackPeer): void {
  describe('the cloud', () => {
    const named = async (path: string, kind: string, name: string): Promise<string> => {
      const { [kind]: seen } = await cloud().admin.call('GET', 'nova', path);
      return seen.find((each: Json) => each.name === name).id;
    };

    it('gives a token with a catalogue that names where each service is', async () => {
      const { status, body } = await issueToken(cloud().authUrl, cloud().accounts.member);
      expect(status).toBe(201);
      const urls = body.token.catalog.map(({ name, endpoints }: Json) => [
        name,
        endpoints.find((each: Json) => each.interface === 'public').url,
      ]);
      expect(Object.fromEntries(urls)).toEqual(
        Object.fromEntries(s.APIS.map((api) => [api, cloud().endpoint(api)])),
      );
    });

    it('has every service up', async () => {
      const { services } = await cloud().admin.call('GET', 'nova', '/os-services');
      expect(services.map(({ binary, host, state }: Json) => `${binary} ${host} ${state}`).sort()).toEqual([
        `nova-compute ${s.COMPUTE_HOST} up`,
        `nova-compute ${s.IRONIC_COMPUTE_HOST} up`,
        `nova-conductor ${s.COMPUTE_HOST} up`,
        `nova-scheduler ${s.COMPUTE_HOST} up`,
      ]);
      const { agents } = await cloud().admin.call('GET', 'neutron', '/v2.0/agents');
      expect(agents.map(({ host, alive }: Json) => [host, alive]).sort()).toEqual([
        [s.COMPUTE_HOST, true],
        [s.IRONIC_COMPUTE_HOST, true],
      ]);
      const { conductors } = await cloud().system.call('GET', 'ironic', '/v1/conductors');
      expect(conductors).toMatchObject([{ alive: true }]);
    });

    it('stores an image and gives it back byte for byte', async () => {
      const id = await uploadImage(cloud().admin, 'there-and-back', IMAGE_BYTES);
      const bytes = await cloud().admin.call('GET', 'glance', `/v2/images/${id}/file`);
      expect(IMAGE_BYTES.equals(bytes)).toBe(true);
      await cloud().admin.call('DELETE', 'glance', `/v2/images/${id}`);
      expect((await cloud().admin.try('GET', 'glance', `/v2/images/${id}`)).status).toBe(404);
    });

    it.each(['m1.small', 'bm-small'])('a server of %s becomes active, and goes', async (flavor) => {
      const { admin, system } = cloud();
      const { images } = await admin.call('GET', 'glance', `/v2/images?name=${IMAGE}`);
      const { networks } = await admin.call('GET', 'neutron', `/v2.0/networks?name=${NETWORK}`);
      const { server } = await admin.call('POST', 'nova', '/servers', {
        server: {
          name: `of-${flavor}`,
          flavorRef: await named('/flavors', 'flavors', flavor),
          imageRef: images[0].id,
          // Ironic's network interface here is `noop`: it attaches no port.
          networks: flavor === 'm1.small' ? [{ uuid: networks[0].id }] : 'none',
        },
      });
      const path = `/servers/${server.id}`;
      const active = await until('an active server', async () => {
        const { server: seen } = await admin.call('GET', 'nova', path);
        if (seen.status === 'ERROR') throw new Error(JSON.stringify(seen.fault));
        return seen.status === 'ACTIVE' && seen;
      });
      if (flavor === 'm1.small') {
        const { ports } = await admin.call('GET', 'neutron', `/v2.0/ports?device_id=${server.id}`);
        expect(ports).toMatchObject([{ 'binding:host_id': s.COMPUTE_HOST, 'binding:vif_type': 'ovs' }]);
        expect(active.addresses[NETWORK]).toHaveLength(1);
      } else {
        const { nodes } = await system.call('GET', 'ironic', `/v1/nodes?instance_uuid=${server.id}`);
        expect(nodes).toMatchObject([{ provision_state: 'active' }]);
        expect(active['OS-EXT-SRV-ATTR:hypervisor_hostname']).toBe(nodes[0].uuid);
      }
      await admin.call('DELETE', 'nova', path);
      await until('its end', async () => (await admin.try('GET', 'nova', path)).status === 404);
      await until('free nodes', async () => {
        const { nodes } = await system.call('GET', 'ironic', '/v1/nodes?provision_state=available');
        return nodes.length === NODES.length;
      });
    });

    it.each([
      'nova-compute',
      'nova-compute-ironic',
      'nova-conductor',
      'l2-agent',
      'ironic-conductor',
    ] as const)('is seen without %s, and with it again', async (service) => {
      const mend = await serviceDown(cloud(), service);
      expect(cloud().isRunning(service)).toBe(false);
      await mend();
      expect(cloud().isRunning(service)).toBe(true);
    });

    it('lets nobody in with a token that was given back', async () => {
      const token = await revokedToken(cloud());
      const { status } = await ask('GET', `${cloud().endpoint('nova')}/servers`, { token });
      expect(status).toBe(401);
    });

    it('refuses a server where the quota is full', async () => {
      const { admin, accounts } = cloud();
      const mend = await quotaFull(cloud(), accounts.member.project);
      const { images } = await admin.call('GET', 'glance', `/v2/images?name=${IMAGE}`);
      const refused = await cloud()
        .session(accounts.member)
        .try('POST', 'nova', '/servers', {
          server: {
            name: 'one-too-many',
            flavorRef: await named('/flavors', 'flavors', 'm1.small'),
            imageRef: images[0].id,
            networks: 'none',
          },
        });
      expect(refused.status).toBe(403);
      expect(refused.body.forbidden.message).toMatch(/Quota exceeded for instances/);
      await mend();
    });
  });
}

import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadInventory } from '../../../activities/inventory/load.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { freePorts } from '../../../client/up/ports.ts';
import { makeGate, outcomesOf, type Outcome } from '../../activities/gates/physical/support.ts';
import { aSite } from '../../activities/support.ts';
import { until, type Json } from '../../peers/openstack/api.ts';
import { IMAGE, NETWORK, RESOURCE_CLASS } from '../../peers/openstack/content.ts';
import { imageRenamed, serviceDown, type Mend } from '../../peers/openstack/faults.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import { shownFailing } from '../../support/shown.ts';
import { keepOutcomes } from '../../support/verdicts.ts';
import { SITE } from '../../workflows/support.ts';

/** The guest of a server on fake hardware: what listens at the one address that its network has. */
const GUEST = '127.77.0.10';

const PASS = {
  'node-available': 'pass',
  'server-requested': 'pass',
  'agent-called-back': 'skipped',
  'image-written': 'skipped',
  'first-boot': 'pass',
  'guest-reached': 'pass',
  'server-active': 'pass',
  console: 'skipped',
  'states-captured': 'pass',
  'server-released': 'pass',
};
const NOTHING = {
  'agent-called-back': 'not made',
  'image-written': 'not made',
  'first-boot': 'not made',
  'guest-reached': 'not made',
  'server-active': 'not made',
};

/** Gate 7 by Nova with its Ironic driver; of the two nodes somebody else has one. */
export function physicalAcceptance(cloud: () => OpenStackPeer): void {
  describe('gate 7', () => {
    const shown = shownFailing('OpenStack 2026.1', ['node-available', 'server-requested', 'guest-reached']);
    let inventory: Inventory;
    let node: string;
    let theirs: string;
    let guest: Server;
    let port: number;
    let runs = 0;

    const nova = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Json> =>
      cloud().admin.call(method, 'nova', path, body);
    const ironic = (path: string): Promise<Json> => cloud().system.call('GET', 'ironic', path);

    beforeAll(async () => {
      [port] = (await freePorts(1)) as [number];
      guest = createServer((socket) => {
        // Who only looks whether it listens may be gone at once.
        socket.on('error', () => undefined);
        socket.end('SSH-2.0-guest\r\n');
      }).listen(port, GUEST);
      const { admin } = cloud();
      const { flavors } = await nova('GET', '/flavors');
      const { images } = await admin.call('GET', 'glance', `/v2/images?name=${IMAGE}`);
      const { server } = await nova('POST', '/servers', {
        server: {
          name: 'of-somebody-else',
          flavorRef: flavors.find(({ name }: Json) => name === 'bm-small').id,
          imageRef: images[0].id,
          networks: 'none',
        },
      });
      theirs = server.id;
      await until('the server of somebody else', async () => {
        const { server: now } = await nova('GET', `/servers/${theirs}`);
        return now.status === 'ACTIVE';
      });
      const { nodes } = await ironic('/v1/nodes?detail=true');
      node = nodes.find(({ provision_state }: Json) => provision_state === 'available').name;
      await onLoopback();
      inventory = await contract();
    });
    afterAll(async () => {
      guest.close();
      await nova('DELETE', `/servers/${theirs}`);
    });

    /** The addresses of the network are those of loopback, where a listener can stand for a guest. */
    async function onLoopback(): Promise<void> {
      const { admin } = cloud();
      const { networks } = await admin.call('GET', 'neutron', `/v2.0/networks?name=${NETWORK}`);
      const [{ id, subnets }] = networks;
      for (const subnet of subnets) await admin.call('DELETE', 'neutron', `/v2.0/subnets/${subnet}`);
      await admin.call('POST', 'neutron', '/v2.0/subnets', {
        subnet: {
          network_id: id,
          ip_version: 4,
          cidr: '127.77.0.0/24',
          enable_dhcp: false,
          gateway_ip: null,
          allocation_pools: [{ start: GUEST, end: GUEST }],
        },
      });
    }

    async function contract(over: object = {}): Promise<Inventory> {
      const { admin } = cloud().accounts;
      const folder = await mkdtemp(join(tmpdir(), 'rackwright-physical-'));
      await writeFile(join(folder, 'password'), admin.password);
      await writeFile(join(folder, 'a.raw'), '');
      const file = join(folder, 'inventory.yaml');
      await writeFile(
        file,
        stringify({
          site: SITE,
          openstack: {
            authUrl: cloud().authUrl,
            region: cloud().region,
            ironic: { url: cloud().endpoint('ironic') },
            credentials: {
              username: admin.username,
              password: `file:${join(folder, 'password')}`,
              project: admin.project,
              systemScope: 'all',
            },
          },
          images: [{ name: 'a', url: 'a.raw', checksum: `sha256:${'0'.repeat(64)}`, format: 'raw' }],
          machineTypes: [{ name: 't', resourceClass: RESOURCE_CLASS }],
          nodes: [{ name: node, type: 't', driver: 'ironic', ironic: { driver: 'fake-hardware' } }],
          acceptance: {
            node,
            image: 'a',
            flavor: 'bm-small',
            cloud: { image: IMAGE, network: NETWORK, ports: [port] },
            timeouts: { deadlines: { deploy: '5m', release: '5m' }, handOver: '2s' },
            ...over,
          },
        }),
      );
      const loaded = await loadInventory(file);
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
      return loaded.inventory;
    }

    const gate = async (of = inventory) => {
      const made = { site: await aSite(), inventory: of, runId: `r${++runs}`, seconds: 600, pace: 10_000 };
      const results = await makeGate(made);
      keepOutcomes(Object.entries(results).map(([id, { outcome }]) => ({ id, outcome })));
      return results;
    };

    const said = (results: { readonly [id: string]: Outcome }, id: string): string =>
      results[id]!.findings[0]?.failure.message ?? results[id]!.summary;

    it('passes, and the node is as free as before', async () => {
      const results = await gate();
      expect(outcomesOf(results), JSON.stringify(results)).toEqual(PASS);
      const now = await ironic(`/v1/nodes/${node}`);
      expect(now).toMatchObject({ provision_state: 'available', instance_uuid: null, maintenance: false });
      expect((await nova('GET', '/servers')).servers.map(({ id }: Json) => id)).toEqual([theirs]);
    });

    it('fails where somebody else has the node, and does not touch their server', async () => {
      const { nodes } = await ironic('/v1/nodes?detail=true');
      const taken = nodes.find(({ instance_uuid }: Json) => instance_uuid === theirs).name;
      const own = node;
      node = taken;
      const results = await gate(await contract());
      node = own;
      expect(said(results, 'node-available')).toContain(`instance ${theirs} has it`);
      expect(outcomesOf(results)).toMatchObject({ ...NOTHING, 'server-released': 'skipped' });
      expect(await ironic(`/v1/nodes/${taken}`)).toMatchObject({
        provision_state: 'active',
        instance_uuid: theirs,
      });
      shown('node-available');
    });

    it('fails where nothing listens in the guest', async () => {
      const [other] = await freePorts(1);
      const results = await gate(
        await contract({ cloud: { image: IMAGE, network: NETWORK, ports: [other] } }),
      );
      expect(said(results, 'guest-reached')).toContain('refused');
      expect(outcomesOf(results)).toEqual({ ...PASS, 'guest-reached': 'fail' });
      shown('guest-reached');
    });

    interface Case {
      readonly what: string;
      readonly fault: () => Promise<Mend>;
      readonly message: RegExp;
      readonly released: string;
    }
    /** The project may have as many servers as it has. */
    const quotaUsed = async (): Promise<Mend> => {
      const { admin } = cloud();
      const name = cloud().accounts.admin.project;
      const { projects } = await admin.call('GET', 'keystone', `/projects?name=${name}`);
      const path = `/os-quota-sets/${projects[0].id}`;
      const { servers } = await nova('GET', '/servers');
      await admin.call('PUT', 'nova', path, { quota_set: { instances: servers.length } });
      return async () => void (await nova('DELETE', path));
    };
    it.each<Case>([
      {
        what: 'the quota is used up',
        fault: quotaUsed,
        message: /quota of project .* is used up/,
        released: 'skipped',
      },
      {
        what: 'the image is gone',
        fault: () => imageRenamed(cloud(), IMAGE),
        message: /Glance has no active image/,
        released: 'skipped',
      },
      {
        what: 'the nova-compute of Ironic is down',
        fault: () => serviceDown(cloud(), 'nova-compute-ironic'),
        message: /No valid host was found.*nova-compute on .* is down/,
        released: 'pass',
      },
    ])('fails where $what; mended, it passes', async ({ fault, message, released }) => {
      const mend = await fault();
      try {
        const results = await gate();
        expect(said(results, 'server-requested')).toMatch(message);
        expect(outcomesOf(results)).toEqual({
          ...PASS,
          ...NOTHING,
          'server-requested': 'fail',
          'server-released': released,
        });
        shown('server-requested');
      } finally {
        await mend();
      }
      expect(outcomesOf(await gate())).toEqual(PASS);
    });
  });
}

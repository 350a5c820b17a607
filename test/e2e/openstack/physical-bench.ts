import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { loadInventory } from '../../../activities/inventory/load.ts';
import { freePorts } from '../../../client/up/ports.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { makeGate, type Made, type Outcome } from '../../activities/gates/physical/support.ts';
import { aSite } from '../../activities/support.ts';
import { until, type Json } from '../../peers/openstack/api.ts';
import { IMAGE, NETWORK, RESOURCE_CLASS } from '../../peers/openstack/content.ts';
import type { OpenStackPeer } from '../../peers/openstack/peer.ts';
import { keepOutcomes } from '../../support/verdicts.ts';
import { SITE } from '../../workflows/support.ts';

/** The guest of a server on fake hardware: what listens at the one address that its network has. */
const GUEST = '127.77.0.10';

export const TIMEOUTS = { deadlines: { deploy: '5m', release: '5m' }, handOver: '2s' };

/** What gate 7 is run with, by Nova with its Ironic driver: of the two nodes somebody else has one. */
export class PhysicalBench {
  /** The node that nobody has. */
  node!: string;
  /** The server of somebody else. */
  theirs!: string;
  readonly cloud: OpenStackPeer;
  #guest!: Server;
  #port!: number;
  #runs = 0;

  constructor(cloud: OpenStackPeer) {
    this.cloud = cloud;
  }

  nova(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Json> {
    return this.cloud.admin.call(method, 'nova', path, body);
  }

  ironic(path: string): Promise<Json> {
    return this.cloud.system.call('GET', 'ironic', path);
  }

  async open(): Promise<void> {
    [this.#port] = (await freePorts(1)) as [number];
    this.#guest = createServer((socket) => {
      // Who only looks whether it listens may be gone at once.
      socket.on('error', () => undefined);
      socket.end('SSH-2.0-guest\r\n');
    }).listen(this.#port, GUEST);
    const { flavors } = await this.nova('GET', '/flavors');
    const { images } = await this.cloud.admin.call('GET', 'glance', `/v2/images?name=${IMAGE}`);
    const { server } = await this.nova('POST', '/servers', {
      server: {
        name: 'of-somebody-else',
        flavorRef: flavors.find(({ name }: Json) => name === 'bm-small').id,
        imageRef: images[0].id,
        networks: 'none',
      },
    });
    this.theirs = server.id;
    await until('the server of somebody else', async () => {
      const { server: now } = await this.nova('GET', `/servers/${this.theirs}`);
      return now.status === 'ACTIVE';
    });
    const { nodes } = await this.ironic('/v1/nodes?detail=true');
    this.node = nodes.find(({ provision_state }: Json) => provision_state === 'available').name;
    await this.#onLoopback();
  }

  async close(): Promise<void> {
    this.#guest?.close();
    if (this.theirs) await this.nova('DELETE', `/servers/${this.theirs}`);
  }

  /** The addresses of the network are those of loopback, where a listener can stand for a guest. */
  async #onLoopback(): Promise<void> {
    const { admin } = this.cloud;
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

  /** A contract with the cloud, whose acceptance says what is given, too. */
  async contract(over: object = {}, node = this.node): Promise<Inventory> {
    const { admin } = this.cloud.accounts;
    const folder = await mkdtemp(join(tmpdir(), 'rackwright-physical-'));
    await writeFile(join(folder, 'password'), admin.password);
    await writeFile(join(folder, 'a.raw'), '');
    const file = join(folder, 'inventory.yaml');
    await writeFile(
      file,
      stringify({
        site: SITE,
        openstack: {
          authUrl: this.cloud.authUrl,
          region: this.cloud.region,
          ironic: { url: this.cloud.endpoint('ironic') },
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
          cloud: { image: IMAGE, network: NETWORK, ports: [this.#port] },
          timeouts: TIMEOUTS,
          ...over,
        },
      }),
    );
    const loaded = await loadInventory(file);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    return loaded.inventory;
  }

  /** Makes the gate; before each check, what is given is done. */
  async gate(of?: Inventory, before?: Made['before']): Promise<{ readonly [id: string]: Outcome }> {
    const made = {
      site: await aSite(),
      inventory: of ?? (await this.contract()),
      runId: `r${++this.#runs}`,
      seconds: 600,
      pace: 10_000,
      ...(before ? { before } : {}),
    };
    const results = await makeGate(made);
    keepOutcomes(Object.entries(results).map(([id, { outcome }]) => ({ id, outcome })));
    return results;
  }

  /** Waits until Placement offers the node: its nova-compute sees by and by that it is free again. */
  async offered(): Promise<void> {
    const { uuid } = await this.ironic(`/v1/nodes/${this.node}`);
    const headers = { 'openstack-api-version': 'placement 1.36' };
    const path = '/allocation_candidates?resources=CUSTOM_BM_SMALL:1';
    await until('an offer of the node', async () => {
      const answer = await this.cloud.admin.call('GET', 'placement', path, undefined, headers);
      return uuid in answer.provider_summaries;
    });
  }

  /** Takes the node back by Ironic alone, as its operator does. */
  async undeploy(): Promise<void> {
    const path = `/v1/nodes/${this.node}`;
    await this.cloud.system.call('PUT', 'ironic', `${path}/states/provision`, { target: 'deleted' });
    await until('the node', async () => (await this.ironic(path)).provision_state === 'available');
  }
}

export const said = (results: { readonly [id: string]: Outcome }, id: string): string =>
  results[id]!.findings[0]?.failure.message ?? results[id]!.summary;

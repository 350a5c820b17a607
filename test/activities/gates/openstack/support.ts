import { createHash } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { issue, newAuthority } from '../../../../lab/certificates.ts';
import { contractWith } from '../kubernetes/support.ts';

type Row = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly body?: unknown;
}
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

const TYPES = ['identity', 'compute', 'network', 'image', 'placement', 'baremetal'] as const;
const VERSIONS: Record<(typeof TYPES)[number], unknown> = {
  identity: { versions: { values: [{ id: 'v3.14' }] } },
  compute: { versions: [{ id: 'v2.0' }, { id: 'v2.1' }] },
  network: { versions: [{ id: 'v2.0' }] },
  image: { versions: [{ id: 'v2.17' }, { id: 'v2.16' }] },
  placement: { versions: [{ id: 'v1.0' }] },
  baremetal: { name: 'OpenStack Ironic API', versions: [{ id: 'v1' }] },
};

/** What the services of a small cloud answer, to be changed by a test. */
export class SmallCloud {
  services: Row[] = ['nova-conductor', 'nova-scheduler', 'nova-compute'].map((binary) => ({
    binary,
    host: 'h1',
    status: 'enabled',
    state: 'up',
    updated_at: 'now',
    forced_down: false,
  }));
  hypervisors: Row[] = [
    { id: 'u1', hypervisor_hostname: 'h1', hypervisor_type: 'QEMU', service: { host: 'h1' } },
  ];
  agents: Row[] = [
    {
      binary: 'neutron-openvswitch-agent',
      host: 'h1',
      alive: true,
      admin_state_up: true,
      heartbeat_timestamp: 'now',
      started_at: 'then',
    },
  ];
  providers: Row[] = [{ uuid: 'u1', name: 'h1' }];
  inventories: Row = { VCPU: { total: 8 } };
  images = new Map<string, Row>();
  bytes = new Map<string, Buffer>();
  /** By service; undefined: none. */
  endpoints: Record<string, string | undefined> = {};
  /** Answers in the place of its own. */
  instead: (asked: Asked) => Answer | undefined = () => undefined;
  /** Requests of as many bytes and more end with the connection. */
  hangsUpOn = Infinity;
  asked: Asked[] = [];
  tokens = 0;
  roles = ['admin'];
  contract: { openstack: Row } = { openstack: {} };
  close: () => void = () => undefined;

  inventory(more: Row = {}, rest: Row = {}) {
    return contractWith({ openstack: { ...this.contract.openstack, ...more }, ...rest });
  }

  answer(asked: Asked): Answer & { headers?: Record<string, string> } {
    const { method, path, body } = asked;
    if (path === '/identity/v3/auth/tokens') {
      const catalog = TYPES.flatMap((type) => {
        const url = this.endpoints[type];
        const endpoint = { interface: 'public', region_id: 'R1', url };
        return url === undefined ? [] : [{ type, name: type, endpoints: [endpoint] }];
      });
      return {
        status: 201,
        body: {
          token: {
            expires_at: '2030-01-01T00:00:00Z',
            roles: this.roles.map((name) => ({ id: name, name })),
            catalog,
          },
        },
        headers: { 'x-subject-token': `token-number-${++this.tokens}` },
      };
    }
    const [, service = '', ...rest] = path.split('?')[0]!.split('/');
    const below = rest.join('/');
    if (below === '') return { status: 200, body: VERSIONS[service as (typeof TYPES)[number]] };
    if (service === 'image') return this.#image(method, rest.slice(2), body);
    const lists: Row = {
      'v2.1/os-services': { services: this.services },
      'v2.1/os-hypervisors/detail': { hypervisors: this.hypervisors },
      'v2.0/agents': { agents: this.agents },
      resource_providers: { resource_providers: this.providers },
      'resource_providers/u1/inventories': { inventories: this.inventories },
    };
    return below in lists ? { status: 200, body: lists[below] } : { status: 404, body: {} };
  }

  #image(method: string, [id, file]: string[], body: Buffer): Answer {
    if (id === undefined) {
      if (method === 'GET') return { status: 200, body: { images: [...this.images.values()] } };
      const made = { id: `image-${this.images.size + 1}`, status: 'queued', ...JSON.parse(String(body)) };
      this.images.set(made.id, made);
      return { status: 201, body: made };
    }
    const image = this.images.get(id);
    if (image === undefined) return { status: 404, body: {} };
    if (file === undefined && method === 'GET') return { status: 200, body: image };
    if (method === 'DELETE') {
      this.images.delete(id);
      return { status: 204 };
    }
    if (method === 'GET') return { status: 200, body: this.bytes.get(id)! };
    const digest = (algorithm: string) => createHash(algorithm).update(body).digest('hex');
    this.bytes.set(id, body);
    Object.assign(image, {
      status: 'active',
      size: body.length,
      checksum: digest('md5'),
      os_hash_algo: 'sha512',
      os_hash_value: digest('sha512'),
    });
    return { status: 204 };
  }
}

/** A cloud that answers over TLS on a port of its own. */
export async function aSmallCloud(): Promise<SmallCloud> {
  const cloud = new SmallCloud();
  const authority = await newAuthority('CA');
  const server = createServer(await issue(authority, 'cloud', '127.0.0.1'), (request, response) => {
    if (Number(request.headers['content-length'] ?? 0) >= cloud.hangsUpOn)
      return void request.socket.destroy();
    void buffer(request).then((body) => {
      const asked = { method: request.method!, path: request.url!, body };
      cloud.asked.push(asked);
      const {
        status,
        body: said,
        headers,
      } = { headers: {}, ...(cloud.instead(asked) ?? cloud.answer(asked)) };
      response.writeHead(status, headers);
      response.end(Buffer.isBuffer(said) || said === undefined ? said : JSON.stringify(said));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const type of TYPES) cloud.endpoints[type] = `${url}/${type}`;
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-cloud-'));
  await writeFile(join(folder, 'ca.pem'), authority.cert);
  await writeFile(join(folder, 'password'), 'p4ss-of-the-cloud');
  cloud.contract = {
    openstack: {
      authUrl: `${url}/identity/v3`,
      ca: join(folder, 'ca.pem'),
      credentials: { username: 'u', password: `file:${join(folder, 'password')}`, project: 'p' },
    },
  };
  cloud.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return cloud;
}

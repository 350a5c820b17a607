import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { built, serverRequest, startBench, taken, type Bench } from './openstack-bench.ts';

// The cloud of the lab as it is without faults.

const NODE = '/baremetal/v1/nodes/node-009';
let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.stop());
beforeEach(() => bench.as('rackwright'));

const nova = (version: string) => ({ 'openstack-api-version': `compute ${version}` });
const ironic = (version: string) => ({ 'x-openstack-ironic-api-version': version });

describe('Keystone', () => {
  it('gives a token for the right password, and none for another', async () => {
    const { status, headers, body } = await bench.login();
    expect(status).toBe(201);
    expect(headers['x-subject-token']).toMatch(/^gAAAAAB/);
    expect(body.token.project).toMatchObject({ name: 'acceptance', domain: { id: 'default' } });
    expect(body.token.roles.map(({ name }: { name: string }) => name)).toContain('admin');
    expect(body.token.catalog.map(({ type }: { type: string }) => type)).toEqual([
      'identity',
      'compute',
      'network',
      'image',
      'placement',
      'baremetal',
    ]);
    const refused = await bench.login('rackwright', 'wrong');
    expect([refused.status, refused.body]).toEqual([
      401,
      {
        error: {
          code: 401,
          message: 'The request you have made requires authentication.',
          title: 'Unauthorized',
        },
      },
    ]);
    expect(refused.headers['www-authenticate']).toContain('Keystone uri=');
  });

  it('gives a token of the system to an administrator, and none for a project that is not there', async () => {
    const scoped = async (user: string, scope: object) => bench.login(user, undefined, scope);
    const { status, body } = await scoped('rackwright', { system: { all: true } });
    expect([status, body.token.system, body.token.project]).toEqual([201, { all: true }, undefined]);
    expect((await scoped('reader', { system: { all: true } })).status).toBe(401);
    const other = { project: { name: 'other', domain: { name: 'Default' } } };
    expect((await scoped('rackwright', other)).status).toBe(401);
  });

  it('forgets a token that was given back', async () => {
    const token = String((await bench.login()).headers['x-subject-token']);
    const with_ = { 'x-auth-token': token };
    expect((await bench.ask('GET', '/compute/v2.1/flavors', undefined, with_)).status).toBe(200);
    const subject = { 'x-subject-token': token };
    expect((await bench.ask('DELETE', '/identity/v3/auth/tokens', undefined, subject)).status).toBe(204);
    expect((await bench.ask('GET', '/compute/v2.1/flavors', undefined, with_)).status).toBe(401);
    expect((await bench.ask('GET', '/identity/v3/auth/tokens', undefined, subject)).status).toBe(404);
  });
});

describe('who may what', () => {
  const ADMINS: [path: string, body: object][] = [
    [
      '/compute/v2.1/os-services',
      {
        forbidden: {
          code: 403,
          message: "Policy doesn't allow os_compute_api:os-services:list to be performed.",
        },
      },
    ],
    [
      '/networking/v2.0/agents',
      {
        NeutronError: {
          type: 'PolicyNotAuthorized',
          message: '(rule:get_agent) is disallowed by policy',
          detail: '',
        },
      },
    ],
    ['/identity/v3/projects', { error: { code: 403, title: 'Forbidden' } }],
    ['/placement/resource_providers', { errors: [{ status: 403, title: 'Forbidden' }] }],
  ];
  it.each(ADMINS)('%s is for administrators', async (path, body) => {
    expect((await bench.ask('GET', path)).status).toBe(200);
    await bench.as('reader');
    const refused = await bench.ask('GET', path);
    expect([refused.status, refused.body]).toMatchObject([403, body]);
    expect((await bench.ask('GET', '/image/v2/images')).status).toBe(200);
  });

  it.each(['/compute/v2.1/servers', '/networking/v2.0/networks', '/image/v2/images', '/baremetal/v1/nodes'])(
    '%s takes a token',
    async (path) => {
      expect((await bench.ask('GET', path, undefined, { 'x-auth-token': 'none' })).status).toBe(401);
    },
  );
});

describe('versions', () => {
  it('are told without a token', async () => {
    const open = async (path: string) => bench.ask('GET', path, undefined, { 'x-auth-token': '' });
    const [identity, image] = [await open('/identity'), await open('/image')];
    expect([identity.status, identity.body.versions.values[0].id]).toEqual([300, 'v3.14']);
    expect([image.status, image.body.versions[7]]).toMatchObject([300, { id: 'v2.17', status: 'CURRENT' }]);
    expect((await open('/compute/v2.1/')).body.version).toMatchObject({
      min_version: '2.1',
      version: '2.103',
    });
    expect((await open('/networking/')).body.versions[0]).toMatchObject({ id: 'v2.0', status: 'CURRENT' });
    expect((await open('/placement')).body.versions[0]).toMatchObject({
      min_version: '1.0',
      max_version: '1.39',
    });
    expect((await open('/baremetal/v1')).body.version).toMatchObject({
      min_version: '1.1',
      version: '1.111',
    });
  });

  it.each([
    ['/compute/v2.1/servers', nova('2.999'), { computeFault: { code: 406 } }],
    ['/compute/v2.1/servers', { 'x-openstack-nova-api-version': '3.1' }, { computeFault: { code: 406 } }],
    ['/baremetal/v1/nodes', ironic('1.999'), { error_message: expect.stringContaining('[1.1, 1.111]') }],
    [
      '/placement/resource_providers',
      { 'openstack-api-version': 'placement 1.999' },
      { errors: [{ status: 406, min_version: '1.0', max_version: '1.39' }] },
    ],
  ])('%s refuses %j', async (path, headers, body) => {
    const refused = await bench.ask('GET', path, undefined, headers);
    expect([refused.status, refused.body]).toMatchObject([406, body]);
  });

  it('make answers what they were then', async () => {
    const services = async (version: string) =>
      (await bench.ask('GET', '/compute/v2.1/os-services', undefined, nova(version))).body.services[0];
    expect(await services('2.1')).toMatchObject({ id: 1 });
    expect(await services('2.53')).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      forced_down: false,
    });
    expect(await services('2.1')).not.toHaveProperty('forced_down');
    const node = async (version: string) => (await bench.ask('GET', NODE, undefined, ironic(version))).body;
    expect(await node('1.90')).toMatchObject({
      name: 'node-009',
      provision_state: 'available',
      driver: 'redfish',
    });
    expect((await bench.ask('GET', NODE)).body.provision_state).toBeNull();
    expect(await node('1.20')).not.toHaveProperty('resource_class');
    expect(await node('1.21')).toMatchObject({ resource_class: 'lab-gpu-8' });
  });
});

describe('Glance', () => {
  it('gives the bytes that it was given, and their digests', async () => {
    const { body: page } = await bench.ask('GET', '/image/v2/images?name=acceptance-image');
    const [image] = page.images;
    const bytes = readFileSync(bench.imagePath);
    expect(image).toMatchObject({
      status: 'active',
      size: bytes.length,
      checksum: createHash('md5').update(bytes).digest('hex'),
      os_hash_algo: 'sha512',
      os_hash_value: createHash('sha512').update(bytes).digest('hex'),
    });
  });

  it('makes, changes, shows in pages, and takes away', async () => {
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { status, body } = await bench.ask('POST', '/image/v2/images', {
        name,
        disk_format: 'raw',
        container_format: 'bare',
      });
      expect([status, body.status]).toEqual([201, 'queued']);
      made.push(body.id as string);
    }
    const patched = await bench.ask(
      'PATCH',
      `/image/v2/images/${made[0]}`,
      [{ op: 'add', path: '/note', value: 'x' }],
      { 'content-type': 'application/openstack-images-v2.1-json-patch' },
    );
    expect(patched.body).toMatchObject({ note: 'x' });
    const names: string[] = [];
    for (let next: string | undefined = '/v2/images?limit=2'; next !== undefined;) {
      const { body } = await bench.ask('GET', `/image${next}`);
      names.push(...body.images.map(({ name }: { name: string }) => name));
      next = body.next as string | undefined;
    }
    expect(names).toEqual(['c', 'b', 'a', 'deploy-ramdisk', 'deploy-kernel', 'acceptance-image']);
    for (const id of made) expect((await bench.ask('DELETE', `/image/v2/images/${id}`)).status).toBe(204);
    const gone = await bench.ask('GET', `/image/v2/images/${made[0]}`);
    expect([gone.status, gone.body]).toEqual([
      404,
      expect.stringContaining(`No image found with ID ${made[0]}`),
    ]);
  });
});

describe('a server', () => {
  it('comes up on the host that was asked for, with a port that is bound there', async () => {
    const server = await built(bench, 'm1.tiny', { availability_zone: 'nova:compute-2' });
    expect(server).toMatchObject({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': 'compute-2',
      'OS-EXT-STS:vm_state': 'active',
      'OS-EXT-STS:power_state': 1,
      addresses: { tenant: [{ addr: '127.64.128.10', version: 4 }] },
    });
    const { body } = await bench.ask('GET', `/networking/v2.0/ports?device_id=${server.id}`);
    expect(body.ports).toMatchObject([
      { 'binding:vif_type': 'ovs', 'binding:host_id': 'compute-2', status: 'ACTIVE' },
    ]);
    await taken(bench, server.id);
    expect((await bench.ask('GET', '/networking/v2.0/ports')).body.ports).toEqual([]);
  });

  it('comes up on no other hypervisor than the one that was asked for', async () => {
    const two = await built(bench, 'm1.tiny', { hypervisor_hostname: 'compute-2' });
    expect(two).toMatchObject({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-2' });
    await taken(bench, two.id);
    const elsewhere = await built(bench, 'bm.gpu', { host: 'compute-1' });
    expect(elsewhere.fault.message).toMatch(/^No valid host was found/);
    await taken(bench, elsewhere.id);
    const { uuid } = (await bench.ask('GET', NODE)).body;
    const bare = await built(bench, 'bm.gpu', { availability_zone: `nova::${uuid}` });
    expect(bare).toMatchObject({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:hypervisor_hostname': uuid });
    await taken(bench, bare.id);
    await bench.until(NODE, (body) => body.provision_state === null);
  });

  it('is refused with what is not there', async () => {
    const ask = async (more: object) =>
      (await bench.ask('POST', '/compute/v2.1/servers', await serverRequest(bench, 'm1.tiny', more))).body;
    expect(await ask({ imageRef: '00000000-0000-4000-8000-000000000000' })).toEqual({
      badRequest: { code: 400, message: 'Can not find requested image' },
    });
    expect(await ask({ host: 'compute-9' })).toEqual({
      badRequest: { code: 400, message: 'Compute host compute-9 could not be found.' },
    });
    expect(await ask({ key_name: 'none' })).toEqual({
      badRequest: { code: 400, message: 'Invalid key_name provided.' },
    });
  });

  it('of bare metal takes the node of Ironic, which answers as its guest, and gives it back', async () => {
    bench.done.length = 0;
    const asked = await bench.ask('POST', '/compute/v2.1/servers', await serverRequest(bench, 'bm.gpu'));
    const { id } = asked.body.server;
    const node = await bench.until(NODE, (body) => body.provision_state === 'active');
    expect(node).toMatchObject({ instance_uuid: id, power_state: 'power on' });
    const { server } = await bench.until(
      `/compute/v2.1/servers/${id}`,
      (body) => body.server.status === 'ACTIVE',
    );
    expect(server).toMatchObject({
      'OS-EXT-SRV-ATTR:host': 'controller-1-ironic',
      'OS-EXT-SRV-ATTR:hypervisor_hostname': node.uuid,
      addresses: { tenant: [{ addr: '127.64.0.9', 'OS-EXT-IPS-MAC:mac_addr': '52:54:01:00:09:00' }] },
    });
    const usages = async () =>
      (await bench.ask('GET', `/placement/resource_providers/${node.uuid}/usages`)).body.usages;
    expect(await usages()).toEqual({ CUSTOM_LAB_GPU_8: 1 });
    expect(await greeting(bench.port)).toMatch(/^SSH-2\.0-/);
    await taken(bench, id);
    await expect(greeting(bench.port)).rejects.toThrow('ECONNREFUSED');
    await bench.until(NODE, (body) => body.provision_state === null && body.instance_uuid === null);
    expect(await usages()).toEqual({ CUSTOM_LAB_GPU_8: 0 });
    expect(bench.done).toEqual(['deployed one', 'released']);
  });

  it('of bare metal finds no host while the node has another one', async () => {
    const first = await built(bench, 'bm.gpu');
    expect(first.status).toBe('ACTIVE');
    const second = await built(bench, 'bm.gpu', { name: 'two' });
    expect(second).toMatchObject({
      status: 'ERROR',
      fault: { code: 500, message: 'No valid host was found. There are not enough hosts available.' },
    });
    await taken(bench, second.id);
    await taken(bench, first.id);
    await bench.until(NODE, (body) => body.provision_state === null);
  });
});

/** What the guest says first. */
async function greeting(port: number): Promise<string> {
  const socket = connect({ host: '127.64.0.9', port });
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return bytes.toString();
}

it('goes on after a restart with what was begun, and knows its tokens', async () => {
  const slow = await startBench(1);
  try {
    const { body } = await slow.ask('POST', '/compute/v2.1/servers', await serverRequest(slow, 'bm.gpu'));
    const path = `/compute/v2.1/servers/${body.server.id}`;
    // However slow this machine is, something of the deployment is still to come, or it is over.
    await slow.until(NODE, (node) => node.instance_uuid !== null);
    await slow.restart(50);
    const { server } = await slow.until(path, (found) => found.server.status !== 'BUILD');
    expect(server.status).toBe('ACTIVE');
    expect((await slow.ask('GET', '/image/v2/images')).body.images).toHaveLength(3);
    await slow.restart();
    expect(await greeting(slow.port)).toMatch(/^SSH-2\.0-/);
  } finally {
    await slow.stop();
  }
});

import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CLOUD_SERVICES, CLOUD_SWITCHES, type CloudService } from '../../lab/openstack/switches.ts';
import type { Reply } from './clients.ts';
import { built, serverRequest, startBench, taken, type Bench } from './openstack-bench.ts';

// Each switch of the lab's cloud, and what a client sees of it. Before and after it, that is not so.

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.stop());
afterEach(async () => {
  for (const service of CLOUD_SERVICES) bench.cloud.faults.get(service)!.clear();
  await bench.as('rackwright');
});

const NODE = '/baremetal/v1/nodes/node-009';
const API = {
  ironic: { 'x-openstack-ironic-api-version': '1.90' },
  nova: { 'openstack-api-version': 'compute 2.90' },
};
const get = async (path: string): Promise<Reply> =>
  bench.ask('GET', path, undefined, { ...API.ironic, ...API.nova });

const PATHS: { readonly [service in CloudService]: string } = {
  keystone: '/identity/v3/projects',
  nova: '/compute/v2.1/flavors',
  neutron: '/networking/v2.0/networks',
  glance: '/image/v2/images',
  placement: '/placement/resource_providers',
  ironic: '/baremetal/v1/nodes',
};

describe.each(CLOUD_SERVICES)('the API of %s', (service) => {
  const ask = (): Promise<Reply> => get(PATHS[service]);
  it('is down, busy, and refuses', async () => {
    expect((await ask()).status).toBe(200);
    bench.faults(service, { apiDown: true });
    await expect(ask()).rejects.toThrow();
    bench.faults(service, { apiDown: false, apiUnavailable: 1 });
    expect((await ask()).status).toBe(503);
    expect((await ask()).status).toBe(200);
    bench.faults(service, { apiUnauthorized: true });
    expect((await ask()).status).toBe(401);
    bench.faults(service, { apiUnauthorized: false, apiForbidden: true });
    expect((await ask()).status).toBe(403);
    bench.faults(service, { apiForbidden: false, apiSlow: 300 });
    const began = Date.now();
    expect((await ask()).status).toBe(200);
    expect(Date.now() - began).toBeGreaterThanOrEqual(290);
  });
});

interface Case {
  readonly service: CloudService;
  readonly fault: string;
  /** What is looked at, with the fault and without. */
  readonly look: () => Promise<unknown>;
  readonly without: unknown;
  readonly with: unknown;
}

type Row = { readonly [field: string]: unknown };
const rows = async (path: string, list: string, wanted: (row: Row) => boolean): Promise<Row[]> =>
  (await get(path)).body[list].filter(wanted);
const service =
  (binary: string, host: string, ...fields: string[]) =>
  async (): Promise<unknown> =>
    (
      await rows(
        '/compute/v2.1/os-services',
        'services',
        (row) => row['binary'] === binary && row['host'] === host,
      )
    ).map((row) => fields.map((field) => row[field]).join(' '));
const l2 = async (): Promise<unknown> =>
  (await rows('/networking/v2.0/agents', 'agents', (row) => row['host'] === 'compute-1')).map(
    (row) => `${String(row['agent_type'])} ${String(row['alive'])}`,
  );
const node =
  (...fields: string[]) =>
  async (): Promise<unknown> => {
    const { body } = await get(NODE);
    return fields.map((field) => body[field]).join(' ');
  };
const image = async (): Promise<Row> =>
  (await rows('/image/v2/images', 'images', (row) => row['name'] === 'acceptance-image'))[0] ?? {};
const catalogued = async (): Promise<Row> =>
  Object.fromEntries(
    (await bench.login()).body.token.catalog.map((each: { type: string; endpoints: { url: string }[] }) => [
      each.type,
      each.endpoints[0]!.url.replace(bench.url(''), ''),
    ]),
  );
const validated =
  (...names: string[]) =>
  async (): Promise<unknown> => {
    const { body } = await get(`${NODE}/validate`);
    return names.map((name) => body[name].result).join(' ');
  };
const refusal = async (): Promise<unknown> => {
  const { status, body } = await bench.ask(
    'POST',
    '/compute/v2.1/servers',
    await serverRequest(bench, 'm1.tiny'),
  );
  if (status === 202) await taken(bench, body.server.id as string);
  return status;
};
/** Builds a server, tells of it, and takes it back. */
const life =
  (flavor: string, tell: (server: Reply['body']) => Promise<unknown>) => async (): Promise<unknown> => {
    const server = await built(bench, flavor, {
      availability_zone: flavor === 'm1.tiny' ? 'nova:compute-1' : 'nova',
    });
    const told = await tell(server);
    await taken(bench, server.id as string);
    await bench.until(
      NODE,
      (body) =>
        body.instance_uuid === null &&
        !['deleting', 'cleaning', 'clean wait'].includes(body.provision_state as string),
    );
    return told;
  };
const ended = async (server: Reply['body']): Promise<unknown> =>
  `${server.status} ${server['OS-EXT-SRV-ATTR:host']} ${server.fault?.message.replace(server.id, 'ID') ?? ''}`.trim();
/** Whether the console that Nova gives of a server is listened at. */
const proxy = async ({ id }: Reply['body']): Promise<unknown> => {
  const asked = { remote_console: { protocol: 'vnc', type: 'novnc' } };
  const { body } = await bench.ask('POST', `/compute/v2.1/servers/${id}/remote-consoles`, asked, API.nova);
  const { hostname, port } = new URL(body.remote_console.url as string);
  const socket = connect(Number(port), hostname);
  const told = await new Promise((resolve) => {
    socket.once('connect', () => resolve('open'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  socket.destroy();
  return told;
};
const provider = async (): Promise<unknown> => {
  const [found] = await rows('/placement/resource_providers', 'resource_providers', (row) =>
    String(row['name']).startsWith('1ab'),
  );
  if (found === undefined) return 'none';
  const { body } = await get(`/placement/resource_providers/${String(found['uuid'])}/inventories`);
  return body.inventories.CUSTOM_LAB_GPU_8.reserved;
};
const bound = async (): Promise<unknown> => {
  const networks = (await get('/networking/v2.0/networks?name=tenant')).body.networks;
  const { body } = await bench.ask('POST', '/networking/v2.0/ports', {
    port: { network_id: networks[0].id, 'binding:host_id': 'compute-1' },
  });
  await bench.ask('DELETE', `/networking/v2.0/ports/${body.port.id}`);
  return body.port['binding:vif_type'];
};
const UP = 'ACTIVE compute-1';
const NO_HOST = 'ERROR null No valid host was found. There are not enough hosts available.';
const RETRIES =
  'ERROR null Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance ID.';
const gpu = 'ACTIVE controller-1-ironic';

const CASES: readonly Case[] = [
  {
    service: 'keystone',
    fault: 'endpointMissing',
    look: async () => (await catalogued())['compute'],
    without: '/compute/v2.1',
    with: undefined,
  },
  {
    service: 'keystone',
    fault: 'endpointWrong',
    look: async () => (await catalogued())['image'],
    without: '/image',
    with: 'https://127.0.0.1:1/image',
  },
  {
    service: 'keystone',
    fault: 'ironicEndpointWrong',
    look: async () => (await catalogued())['baremetal'],
    without: '/baremetal',
    with: 'https://127.0.0.1:1/baremetal',
  },
  {
    service: 'nova',
    fault: 'computeDown',
    look: service('nova-compute', 'compute-1', 'state', 'status'),
    without: ['up enabled'],
    with: ['down enabled'],
  },
  {
    service: 'nova',
    fault: 'computeDisabled',
    look: service('nova-compute', 'compute-1', 'state', 'status'),
    without: ['up enabled'],
    with: ['up disabled'],
  },
  {
    service: 'nova',
    fault: 'conductorDown',
    look: service('nova-conductor', 'controller-3', 'state'),
    without: ['up'],
    with: ['down'],
  },
  {
    service: 'nova',
    fault: 'schedulerDown',
    look: service('nova-scheduler', 'controller-3', 'state'),
    without: ['up'],
    with: ['down'],
  },
  {
    service: 'nova',
    fault: 'ironicComputeDown',
    look: service('nova-compute', 'controller-1-ironic', 'state'),
    without: ['up'],
    with: ['down'],
  },
  {
    service: 'nova',
    fault: 'ironicComputeMissing',
    look: service('nova-compute', 'controller-1-ironic', 'state'),
    without: ['up'],
    with: [],
  },
  { service: 'nova', fault: 'serverError', look: life('m1.tiny', ended), without: UP, with: NO_HOST },
  { service: 'nova', fault: 'computeDown', look: life('m1.tiny', ended), without: UP, with: NO_HOST },
  {
    service: 'nova',
    fault: 'serverOnOtherHost',
    look: life('m1.tiny', ended),
    without: UP,
    with: 'ACTIVE compute-2',
  },
  { service: 'nova', fault: 'quotaFull', look: refusal, without: 202, with: 403 },
  {
    service: 'nova',
    fault: 'consoleMissing',
    look: life(
      'm1.tiny',
      async ({ id }) =>
        (await bench.ask('POST', `/compute/v2.1/servers/${id}/action`, { 'os-getConsoleOutput': {} })).status,
    ),
    without: 200,
    with: 501,
  },
  {
    service: 'nova',
    fault: 'consoleProxyDown',
    look: life('m1.tiny', proxy),
    without: 'open',
    with: 'ECONNREFUSED',
  },
  {
    service: 'neutron',
    fault: 'agentDown',
    look: l2,
    without: ['Open vSwitch agent true'],
    with: ['Open vSwitch agent false'],
  },
  { service: 'neutron', fault: 'agentMissing', look: l2, without: ['Open vSwitch agent true'], with: [] },
  {
    service: 'neutron',
    fault: 'agentOther',
    look: l2,
    without: ['Open vSwitch agent true'],
    with: ['OVN Controller agent true', 'OVN Metadata agent true'],
  },
  { service: 'neutron', fault: 'portBindingFailed', look: bound, without: 'ovs', with: 'binding_failed' },
  { service: 'neutron', fault: 'agentDown', look: bound, without: 'ovs', with: 'binding_failed' },
  {
    service: 'neutron',
    fault: 'portBindingFailed',
    look: life('m1.tiny', ended),
    without: UP,
    with: 'ERROR compute-1 Build of instance ID aborted: Failed to allocate the network(s), not rescheduling.',
  },
  {
    service: 'neutron',
    fault: 'networkDown',
    look: async () => (await get('/networking/v2.0/networks?name=provisioning')).body.networks[0].status,
    without: 'ACTIVE',
    with: 'DOWN',
  },
  {
    service: 'neutron',
    fault: 'networkDhcp',
    look: async () =>
      (await rows('/networking/v2.0/subnets', 'subnets', (row) => row['cidr'] === '127.66.0.0/24')).map(
        (row) => row['enable_dhcp'],
      ),
    without: [false],
    with: [true],
  },
  {
    service: 'glance',
    fault: 'deployImageDeleted',
    look: async () =>
      (await rows('/image/v2/images', 'images', (row) => String(row['name']).startsWith('deploy-'))).length,
    without: 2,
    with: 1,
  },
  {
    service: 'glance',
    fault: 'imageDeleted',
    look: async () => (await image())['name'],
    without: 'acceptance-image',
    with: undefined,
  },
  {
    service: 'glance',
    fault: 'imageNotActive',
    look: async () => (await image())['status'],
    without: 'active',
    with: 'queued',
  },
  { service: 'glance', fault: 'imageNotActive', look: refusal, without: 202, with: 400 },
  {
    service: 'glance',
    fault: 'imageChecksumOther',
    look: async () =>
      (await image())['os_hash_value'] === createHash('sha512').update('other bytes').digest('hex'),
    without: false,
    with: true,
  },
  { service: 'placement', fault: 'providerMissing', look: provider, without: 0, with: 'none' },
  { service: 'placement', fault: 'inventoryReserved', look: provider, without: 0, with: 1 },
  {
    service: 'placement',
    fault: 'inventoryReserved',
    look: life('bm.gpu', ended),
    without: gpu,
    with: NO_HOST,
  },
  {
    service: 'ironic',
    fault: 'apiOld',
    look: async () => {
      const { body, status } = await bench.ask('GET', '/baremetal');
      const paths = ['/baremetal', PATHS.ironic];
      const asked = await Promise.all(paths.map(async (path) => (await get(path)).status));
      return [status, body.default_version.version, ...asked];
    },
    without: [200, '1.111', 200, 200],
    with: [200, '1.56', 406, 406],
  },
  {
    service: 'ironic',
    fault: 'conductorDown',
    look: async () =>
      (await rows('/baremetal/v1/conductors', 'conductors', () => true)).map((row) => row['alive']),
    without: [true, true],
    with: [true, false],
  },
  {
    service: 'ironic',
    fault: 'conductorMissing',
    look: async () =>
      (await rows('/baremetal/v1/conductors', 'conductors', () => true)).map((row) => row['hostname']),
    without: ['controller-1', 'controller-2'],
    with: ['controller-1'],
  },
  {
    service: 'ironic',
    fault: 'driverMissing',
    look: async () => (await rows('/baremetal/v1/drivers', 'drivers', () => true)).map((row) => row['name']),
    without: ['ipmi', 'redfish'],
    with: ['ipmi'],
  },
  {
    service: 'ironic',
    fault: 'interfaceMissing',
    look: async () => (await get('/baremetal/v1/drivers/redfish')).body.enabled_boot_interfaces,
    without: ['ipxe', 'pxe', 'redfish-virtual-media'],
    with: ['ipxe', 'pxe'],
  },
  { service: 'ironic', fault: 'nodeMaintenance', look: node('maintenance'), without: 'false', with: 'true' },
  { service: 'ironic', fault: 'nodeMaintenance', look: life('bm.gpu', ended), without: gpu, with: NO_HOST },
  {
    service: 'ironic',
    fault: 'nodeNotAvailable',
    look: node('provision_state'),
    without: 'available',
    with: 'manageable',
  },
  {
    service: 'ironic',
    fault: 'nodeInUse',
    look: node('provision_state', 'power_state'),
    without: 'available power off',
    with: 'active power on',
  },
  {
    service: 'ironic',
    fault: 'validateFails',
    look: validated('power', 'management', 'network'),
    without: 'true true true',
    with: 'false false true',
  },
  {
    service: 'ironic',
    fault: 'bootImageMissing',
    look: async () => (await get(NODE)).body.driver_info.deploy_kernel !== undefined,
    without: true,
    with: false,
  },
  {
    service: 'ironic',
    fault: 'consoleOff',
    look: async () => (await get(`${NODE}/states/console`)).status,
    without: 200,
    with: 400,
  },
  {
    service: 'ironic',
    fault: 'consoleOpen',
    look: async () => {
      await bench.as('reader');
      const { status } = await get(`${NODE}/states/console`);
      await bench.as('rackwright');
      return status;
    },
    without: 403,
    with: 200,
  },
  {
    service: 'ironic',
    fault: 'lockLeft',
    look: node('reservation'),
    without: '',
    with: 'controller-9',
  },
  {
    service: 'ironic',
    fault: 'bootImageUnpublished',
    look: async () => (await get('/published/boot.iso')).status,
    without: 200,
    with: 404,
  },
  {
    service: 'ironic',
    fault: 'nodePowerOn',
    look: node('provision_state', 'power_state'),
    without: 'available power off',
    with: 'available power on',
  },
  { service: 'ironic', fault: 'deployFails', look: life('bm.gpu', ended), without: gpu, with: RETRIES },
  { service: 'ironic', fault: 'deployImageFails', look: life('bm.gpu', ended), without: gpu, with: RETRIES },
  { service: 'ironic', fault: 'deployPowerFails', look: life('bm.gpu', ended), without: gpu, with: RETRIES },
];

it.each(CASES)('$service $fault', async ({ service: of, fault, look, ...expected }) => {
  expect(await look()).toEqual(expected.without);
  bench.faults(of, { [fault]: true });
  expect(await look()).toEqual(expected.with);
  bench.faults(of, { [fault]: false });
  expect(await look()).toEqual(expected.without);
});

it('tokenExpired: a token is refused once, and the next one is good', async () => {
  bench.faults('keystone', { tokenExpired: 1 });
  expect((await get(PATHS.nova)).status).toBe(401);
  await bench.as('rackwright');
  expect((await get(PATHS.nova)).status).toBe(200);
});

it('serviceFlapping: the time of the last report stands still', async () => {
  const look = async (): Promise<string> =>
    String(await service('nova-compute', 'compute-1', 'updated_at')());
  const before = await look();
  bench.faults('nova', { serviceFlapping: true });
  const still = await look();
  expect(still < before).toBe(true);
  expect(await look()).toBe(still);
});

it('serverStuck and serverDeleteStuck: nothing moves, until it is asked again without', async () => {
  bench.faults('nova', { serverStuck: true, serverDeleteStuck: true });
  const { body } = await bench.ask('POST', '/compute/v2.1/servers', await serverRequest(bench, 'm1.tiny'));
  const { id } = body.server as { id: string };
  const path = `/compute/v2.1/servers/${id}`;
  await bench.happened('nova.schedule', id);
  expect((await get(path)).body.server).toMatchObject({
    status: 'BUILD',
    'OS-EXT-STS:task_state': 'scheduling',
  });
  await bench.ask('DELETE', path);
  expect((await get(path)).body.server['OS-EXT-STS:task_state']).toBe('deleting');
  bench.faults('nova', { serverDeleteStuck: false });
  await taken(bench, id);
});

it('portLeft: the port outlives its server', async () => {
  bench.faults('neutron', { portLeft: true });
  const server = await built(bench, 'm1.tiny');
  await taken(bench, server.id as string);
  const { ports } = (await get(`/networking/v2.0/ports?device_id=${server.id}`)).body;
  expect(ports).toHaveLength(1);
  await bench.ask('DELETE', `/networking/v2.0/ports/${ports[0].id}`);
});

it('imageCorrupt and storeFull: other bytes, and no room for more', async () => {
  const { id, checksum } = await image();
  const bytes = async (): Promise<string> =>
    createHash('md5')
      .update(await bench.bytes(`/image/v2/images/${String(id)}/file`))
      .digest('hex');
  expect(await bytes()).toBe(checksum);
  bench.faults('glance', { imageCorrupt: true });
  expect(await bytes()).not.toBe(checksum);
  const { body } = await bench.ask('POST', '/image/v2/images', {
    name: 'x',
    disk_format: 'raw',
    container_format: 'bare',
  });
  const put = async (): Promise<number> =>
    (
      await bench.ask('PUT', `/image/v2/images/${body.id}/file`, 'bytes', {
        'content-type': 'application/octet-stream',
      })
    ).status;
  bench.faults('glance', { storeFull: true });
  expect(await put()).toBe(413);
  bench.faults('glance', { storeFull: false });
  expect(await put()).toBe(204);
  await bench.ask('DELETE', `/image/v2/images/${body.id}`);
});

it('cleanFails: the node ends in clean failed, in maintenance, and is mended by hand', async () => {
  const server = await built(bench, 'bm.gpu');
  bench.faults('ironic', { cleanFails: true });
  await taken(bench, server.id as string);
  const failed = await bench.until(NODE, (body) => body.provision_state === 'clean failed');
  expect(failed).toMatchObject({ maintenance: true });
  bench.faults('ironic', { cleanFails: false });
  const provision = (target: string) => bench.ask('PUT', `${NODE}/states/provision`, { target });
  await bench.ask('DELETE', `${NODE}/maintenance`);
  expect((await provision('manage')).status).toBe(202);
  expect((await provision('provide')).status).toBe(202);
  await bench.until(NODE, (body) => body.provision_state === null);
});

it('has a case for each switch', () => {
  const tried = new Set([
    ...CASES.map((each) => `${each.service} ${each.fault}`),
    'keystone tokenExpired',
    ...['serviceFlapping', 'serverStuck', 'serverDeleteStuck'].map((each) => `nova ${each}`),
    'neutron portLeft',
    'glance imageCorrupt',
    'glance storeFull',
    'ironic cleanFails',
  ]);
  const all = CLOUD_SERVICES.flatMap((each) =>
    CLOUD_SWITCHES[each].filter(({ name }) => !name.startsWith('api')).map(({ name }) => `${each} ${name}`),
  );
  expect(all.filter((each) => !tried.has(each))).toEqual([]);
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Inventory } from '../../contracts/inventory/inventory.ts';
import { isoFileBytes, readIso9660 } from '../../core/iso9660.ts';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import { agentClient, bmcClient, call } from './clients.ts';
import {
  configDrive,
  patchedIso,
  sha256,
  stubGateway,
  TOKEN,
  until,
  type StubGateway,
} from './stub-gateway.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const CD = `${SYSTEM}/VirtualMedia/Cd`;
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;

let dir: string;
let lab: RunningLab;
let gateway: StubGateway;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'lab-life-'));
  gateway = await stubGateway();
  lab = await startLab({ dataDir: dir, servers: 2, speed: 10, gatewayUrl: gateway.url });
});
afterAll(async () => {
  await lab.close();
  await gateway.close();
  rmSync(dir, { recursive: true });
});

it('has a base ISO with one reserved area', () => {
  const iso = readFileSync(join(dir, 'base.iso'));
  expect(readIso9660(iso).label).toBe('ir-vfd-dev');
  const area = isoFileBytes(iso, 'parameters.txt')!;
  expect(area).toHaveLength(4096);
  expect(Buffer.from(area).toString()).toMatch(/^#RACKWRIGHT-PARAMETERS#\n+$/);
  expect(iso.indexOf('#RACKWRIGHT-PARAMETERS#')).toBe(iso.lastIndexOf('#RACKWRIGHT-PARAMETERS#'));
});

it('carries a server from the old system to a tenant and back to empty disks', async () => {
  const inventory = parse(readFileSync(lab.inventory, 'utf8'));
  const [node] = inventory.nodes;
  const bmc = bmcClient(dir, node.bmc.address);
  const control = async (path = '') => (await call('GET', `${lab.controlUrl}/servers/node-001${path}`)).body;
  const powerIs = (state: string) =>
    until(`power ${state}`, async () => (await bmc.get(SYSTEM)).body.PowerState === state);
  gateway.node = { ...gateway.node, properties: { root_device: { serial: node.rootDevice.serial } } };
  const [image] = inventory.images;
  gateway.images.set('os.raw', readFileSync(join(dir, image.url)));
  gateway.media = patchedIso(readFileSync(join(dir, 'base.iso')), [`ipa-api-url=${gateway.url}/agent/t`]);
  const bootAgent = async () => {
    gateway.heartbeats.length = 0;
    const inserted = await bmc.post(`${CD}/Actions/VirtualMedia.InsertMedia`, {
      Image: `${gateway.url}/media/t/a.iso`,
    });
    expect(inserted.status).toBe(204);
    await bmc.patch(SYSTEM, { Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' } });
    await bmc.post(RESET, { ResetType: 'On' });
    return agentClient(await until('a heartbeat', () => gateway.heartbeats[0]), TOKEN);
  };

  let agent = await bootAgent();
  const media = gateway.requests.filter((r) => r.url.startsWith('/media/'));
  expect(media[0]).toMatchObject({ method: 'HEAD' });
  expect(media.filter((r) => r.method === 'GET').every((r) => r.range !== undefined)).toBe(true);
  expect((await bmc.get(SYSTEM)).body.Boot.BootSourceOverrideEnabled).toBe('Disabled');

  const written = await agent.command('standby.prepare_image', {
    image_info: {
      id: image.name,
      urls: [`${gateway.url}/images/t/os.raw`],
      os_hash_algo: 'sha256',
      os_hash_value: image.checksum.slice('sha256:'.length),
      disk_format: 'raw',
      stream_raw_images: true,
    },
    configdrive: configDrive({
      uuid: 'instance-1',
      hostname: 'gpu-1',
      meta: { rackwright_callback: `${gateway.url}/firstboot/t` },
    }),
  });
  expect(written.body.command_status).toBe('SUCCEEDED');
  await agent.command('standby.sync', {});
  await agent.command('standby.power_off', {});
  await powerIs('Off');
  expect((await bmc.post(`${CD}/Actions/VirtualMedia.EjectMedia`, {})).status).toBe(204);
  await bmc.post(RESET, { ResetType: 'On' });
  const first = await until('the first boot', () => gateway.firstBoots[0]);
  expect(first).toMatchObject({ hostname: 'gpu-1' });
  const root = (await control()).disks[0];
  expect(root.image).toMatchObject({
    id: image.name,
    digest: `sha256:${sha256(gateway.images.get('os.raw')!)}`,
  });

  await bmc.post(RESET, { ResetType: 'ForceOff' });
  await powerIs('Off');
  agent = await bootAgent();
  const step = { step: 'erase_devices', priority: 10, interface: 'deploy' };
  const erased = await agent.command('clean.execute_clean_step', { step, node: {}, ports: [] });
  expect(erased.body.command_status).toBe('SUCCEEDED');
  for (const disk of (await control()).disks) expect(disk).toMatchObject({ image: null, canaries: [] });

  const events = (await control('/log')).entries.map((e: { event: string }) => e.event);
  for (const event of [
    'insert',
    'override',
    'override-used',
    'boot-media',
    'agent-started',
    'image-write-finished',
    'eject',
    'boot-disk',
    'first-boot',
    'erase-finished',
  ])
    expect(events).toContain(event);
  expect((await call('GET', `${lab.controlUrl}/servers/node-002`)).body.power).toBe('Off');
});

it('writes an inventory that is valid and names every server, its ports, its disk and the supplies', () => {
  const inventory = Inventory.parse(parse(readFileSync(lab.inventory, 'utf8')));
  expect(inventory).toMatchObject({
    site: 'lab',
    media: { gatewayUrl: gateway.url, iso: 'base.iso' },
    machineTypes: [{ name: 'lab-gpu-8', expect: { gpus: { count: 8 } } }],
  });
  expect(inventory.nodes).toHaveLength(2);
  expect(inventory.nodes[1]).toMatchObject({
    name: 'node-002',
    ports: [{ mac: '52:54:01:00:02:00' }, { mac: '52:54:01:00:02:01' }],
    rootDevice: { serial: 'LAB002ROOT' },
  });
  for (const { url, checksum } of inventory.images)
    expect(checksum).toBe(`sha256:${sha256(readFileSync(join(dir, url)))}`);
});

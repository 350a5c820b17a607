import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildLab, runLab, type LabProcess } from '../lab/lab-process.ts';
import { Conductor } from './ironic-lab/conductor.ts';
import { serverOf, type LabEvent, type ServerOf } from './ironic-lab/server.ts';

const NODE = 'node-001';
const INSTANCE = 'cafe0000-0000-4000-8000-000000000001';
const GIB = 1024 ** 3;

let dir: string;
let lab: LabProcess;
let build: ReturnType<typeof buildLab>;
let ironic: Conductor;
let server: ServerOf;
let uuid: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rackwright-ironic-on-lab-'));
  build = buildLab();
  lab = await runLab(build.main, ['--data-dir', dir, '--servers', '2', '--speed', '5']);
  ironic = await Conductor.start(lab.inventory);
  server = serverOf(lab.controlUrl, NODE);
  uuid = await ironic.enroll(NODE);
});
afterAll(async () => {
  await ironic?.stop();
  await lab?.end('SIGTERM');
  build?.remove();
  rmSync(dir, { recursive: true, force: true });
});

/** What became of the server since the last time that somebody asked. */
let seen = 0;
async function news(): Promise<LabEvent[]> {
  const entries = await server.log(seen);
  seen = entries.at(-1)?.seq ?? seen;
  return entries;
}
const writesOf = (events: readonly LabEvent[]): string[] =>
  events
    .filter(({ event }) => event === 'request')
    .map(({ method, path }) => `${method} ${path?.split('/').slice(-1)[0]}`);
const happened = (events: readonly LabEvent[], ...which: string[]): string[] =>
  events.map(({ event }) => event).filter((event) => which.includes(event));
const AGENT = ['boot-media', 'agent-looked-up', 'image-write-finished', 'erase-finished', 'boot-disk'];

async function expectNothingLeft(): Promise<void> {
  const { power, media, override, disks } = await server.view();
  expect(power).toBe('Off');
  expect(Object.values(media).filter(({ inserted }) => inserted)).toEqual([]);
  expect(override.enabled).toBe('Disabled');
  expect(disks.map(({ image, canaries }) => [image, canaries])).toEqual([
    [null, []],
    [null, []],
  ]);
  expect(readdirSync(ironic.published)).toEqual([]);
}

it('is inspected by Ironic, and is what the lab built', async () => {
  expect((await ironic.provision(uuid, 'manage', 'manageable')).at(-1)).toBe('manageable');
  expect(await ironic.provision(uuid, 'inspect', 'manageable')).toContain('inspecting');

  const { hardware } = await server.view();
  const { properties, power_state } = await ironic.node(uuid);
  expect(power_state).toBe('power off');
  expect(properties).toMatchObject({
    memory_mb: hardware.memoryMiB,
    local_gb: Math.floor(hardware.disks[0]!.sizeBytes / GIB - 1),
    cpu_arch: 'x86_64',
    vendor: hardware.manufacturer,
    capabilities: 'boot_mode:uefi',
  });
  const { inventory, plugin_data } = await ironic.inventory(uuid);
  expect(inventory).toMatchObject({
    cpu: { count: hardware.threads, model_name: hardware.cpuModel },
    memory: { physical_mb: hardware.memoryMiB },
    disks: hardware.disks.map(({ serial, model, sizeBytes }) => ({ serial, model, size: sizeBytes })),
    interfaces: hardware.nics.map(({ name, mac }) => ({ name, mac_address: mac })),
    system_vendor: {
      manufacturer: hardware.manufacturer,
      product_name: hardware.model,
      serial_number: hardware.serial,
      system_uuid: hardware.uuid,
    },
  });
  const neighbours = Object.values(plugin_data.parsed_lldp).map((port) => port.switch_system_name);
  expect(neighbours).toEqual(hardware.nics.map(({ cable }) => `${cable?.switch}.lab.example`));
  expect(await ironic.macs(uuid)).toEqual(hardware.nics.map(({ mac }) => mac));
  expect(writesOf(await news())).toEqual(['POST Sessions']);
});

it('is cleaned by Ironic through the agent: every disk is erased', async () => {
  expect((await server.view()).disks.every(({ canaries }) => canaries.length > 0)).toBe(true);
  expect(await ironic.provision(uuid, 'provide', 'available')).toContain('clean wait');

  const events = await news();
  expect(happened(events, ...AGENT)).toEqual([
    'boot-media',
    'agent-looked-up',
    ...Array.from({ length: 4 }, () => 'erase-finished'),
  ]);
  await expectNothingLeft();
});

it('is deployed by Ironic to active, and boots what was written', async () => {
  const [image] = ironic.images;
  await ironic.give(uuid, image!);
  const states = await ironic.provision(uuid, 'active', 'active', {
    configdrive: { meta_data: { uuid: INSTANCE, hostname: 'tenant-1' } },
    // A step that runs in the agent and is asked for, beside those that are Ironic's own.
    deploy_steps: [{ interface: 'deploy', step: 'erase_devices_metadata', args: {}, priority: 90 }],
  });
  expect(states).toContain('wait call-back');

  await server.until('the system is up', ({ event }) => event === 'system-started', seen);
  const events = await news();
  expect(happened(events, ...AGENT)).toEqual([
    'boot-media',
    'agent-looked-up',
    'erase-finished',
    'erase-finished',
    'image-write-finished',
    'boot-disk',
  ]);
  const { serial } = (await server.view()).hardware.disks[0]!;
  expect(events).toContainEqual(
    expect.objectContaining({ event: 'boot-disk', serial, digest: image!.checksum }),
  );
  expect(events).toContainEqual(expect.objectContaining({ event: 'system-started', instance: INSTANCE }));
  const { power, running, media, disks } = await server.view();
  expect([power, running?.from]).toEqual(['On', 'disk']);
  expect(Object.values(media).filter(({ inserted }) => inserted)).toEqual([]);
  expect(disks.map((disk) => disk.image?.digest ?? null)).toEqual([image!.checksum, null]);
  expect(readdirSync(ironic.published)).toEqual([]);
  expect((await ironic.node(uuid)).power_state).toBe('power on');
});

it('is deleted by Ironic: off, empty, nothing in its drives, and one session for its whole life', async () => {
  expect(await ironic.provision(uuid, 'deleted', 'available')).toContain('deleting');

  expect(happened(await news(), ...AGENT)).toEqual([
    'boot-media',
    'agent-looked-up',
    ...Array.from({ length: 4 }, () => 'erase-finished'),
  ]);
  await expectNothingLeft();
  const all = await server.log();
  expect(writesOf(all).filter((write) => write === 'POST Sessions')).toHaveLength(1);
  expect((await server.view()).sessions).toBe(1);
  expect(all.filter(({ event, status }) => event === 'request' && Number(status) >= 300)).toEqual([]);
  expect(happened(all, 'bmc-crashed', 'boot-media-failed', 'boot-target-failed', 'agent-ended')).toEqual([]);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  parseParameters,
  startAgent,
  type AgentMemory,
  type AgentOptions,
  type RunningAgent,
} from '../../lab/agent.ts';
import type { BootEntry } from '../../lab/agent/options.ts';
import { rootDevice } from '../../lab/agent/root-device.ts';
import { bootDisk } from '../../lab/boot-disk.ts';
import { fileDiskStore, type DiskStore } from '../../lab/disks.ts';
import { labHardware } from '../../lab/hardware.ts';
import { pretendImage } from '../../lab/supplies.ts';
import { pauseAt } from '../../lab/timing.ts';
import { agentClient } from './clients.ts';
import { configDrive, sha256, stubGateway, TOKEN, until, type StubGateway } from './stub-gateway.ts';

const hardware = labHardware(7);
const ROOT_DISK = 'LAB007ROOT';
const image = pretendImage('test', 64 * 1024);

let gateway: StubGateway;
let dir: string;
let disks: DiskStore;
let agents: RunningAgent[];
let events: { event: string; [key: string]: unknown }[];

beforeEach(async () => {
  gateway = await stubGateway();
  gateway.images.set('test.raw', image);
  dir = mkdtempSync(join(tmpdir(), 'lab-agent-'));
  disks = fileDiskStore(
    dir,
    hardware.name,
    hardware.disks.map((d) => d.serial),
  );
  agents = [];
  events = [];
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  await gateway.close();
  rmSync(dir, { recursive: true });
});

async function start(over: Partial<AgentOptions> = {}): Promise<RunningAgent> {
  const agent = await startAgent({
    apiUrl: `${gateway.url}/agent/t`,
    hardware,
    disks,
    pause: pauseAt(100),
    log: (event, details) => events.push({ event, ...details }),
    onPowerOff: () => events.push({ event: 'poweroff' }),
    onReboot: () => events.push({ event: 'reboot' }),
    ...over,
  });
  agents.push(agent);
  return agent;
}
const firstHeartbeat = () => until('a heartbeat', () => gateway.heartbeats.at(-1));
const once = (...values: string[]) => {
  const faults = new Set(values);
  return { take: (name: string) => faults.delete(name) };
};
const prepare = (over: Record<string, unknown> = {}, drive?: string) => ({
  image_info: {
    id: 'test',
    urls: [`${gateway.url}/images/t/test.raw`],
    os_hash_algo: 'sha256',
    os_hash_value: sha256(image),
    disk_format: 'raw',
    stream_raw_images: true,
    ...over,
  },
  ...(drive === undefined ? {} : { configdrive: drive }),
});

describe('calling in', () => {
  it('looks itself up by its MACs, patiently, and sends heartbeats again and again', async () => {
    gateway.refuse = 2;
    const agent = await start();
    const beat = await firstHeartbeat();
    expect(gateway.lookups).toHaveLength(3);
    expect(decodeURIComponent(gateway.lookups[0]!)).toContain(
      'addresses=52:54:01:00:07:00,52:54:01:00:07:01',
    );
    expect(beat).toMatchObject({
      callback_url: agent.callbackUrl,
      agent_token: TOKEN,
      agent_version: '13.0.0',
    });
    expect(beat['agent_verify_ca']).toContain('BEGIN CERTIFICATE');
    await until('a second heartbeat', () => gateway.heartbeats.length > 1);
  });

  it.each([
    ['asks again when nobody tells the version of the API', { deaf: 1 }],
    ['is told the version of the API', { deaf: Infinity, apiVersion: '1.95' }],
  ] as const)('%s, and sends its token and certificate', async (_, { deaf, ...over }) => {
    gateway.deaf = deaf;
    await start(over);
    const beat = await firstHeartbeat();
    expect(beat).toMatchObject({ agent_token: TOKEN, agent_verify_ca: expect.stringContaining('BEGIN') });
  });

  it('takes its conductor for an old one when nobody ever tells the version of the API', async () => {
    gateway.deaf = Infinity;
    await start();
    const beat = await firstHeartbeat();
    expect(beat).not.toHaveProperty('agent_token');
    expect(beat).not.toHaveProperty('agent_verify_ca');
  });

  it('locks itself down when the token was already handed out and it has none', async () => {
    gateway.token = () => '******';
    const agent = await start();
    expect(await agent.ended).toBe('locked-down');
    expect(gateway.heartbeats).toEqual([]);
  });

  it('keeps token, certificate and address over a restart of the lab, and then takes ****** for an answer', async () => {
    let kept: AgentMemory | undefined;
    const ramdisk = { load: () => kept, save: (m: AgentMemory) => (kept = structuredClone(m)) };
    const first = await start({ ramdisk });
    await firstHeartbeat();
    await first.stop();
    gateway.token = () => '******';
    gateway.heartbeats.length = 0;
    const second = await start({ ramdisk });
    expect(second.callbackUrl).toBe(first.callbackUrl);
    expect(await firstHeartbeat()).toMatchObject({ agent_token: TOKEN, agent_verify_ca: kept?.cert });
  });

  it('runs beside another agent', async () => {
    await start();
    const other = labHardware(8);
    await start({
      hardware: other,
      disks: fileDiskStore(
        join(dir, 'other'),
        other.name,
        other.disks.map((d) => d.serial),
      ),
    });
    await until(
      'both agents',
      () => new Set(gateway.heartbeats.map((beat) => beat['callback_url'])).size === 2,
    );
    expect(gateway.lookups.some((url) => decodeURIComponent(url).includes('52:54:01:00:08:00'))).toBe(true);
  });

  it('stays silent when told to', async () => {
    const agent = await start({ faults: once('agentSilent') });
    expect(await agent.ended).toBe('silent');
    expect(gateway.requests).toEqual([]);
  });
});

describe('the command API', () => {
  it('wants the token, the slash and an object of parameters, and says what it does not know', async () => {
    await start();
    const beat = await firstHeartbeat();
    const client = agentClient(beat, TOKEN);
    expect((await client.get('/v1/status')).body).toMatchObject({ version: '13.0.0' });
    expect((await client.get('/v1/commands/')).status).toBe(401);
    expect((await client.get('/v1/commands')).status).toBe(308);
    expect(await agentClient(beat, 'wrong').command('standby.sync', {})).toMatchObject({
      status: 401,
      body: { faultcode: 'Client' },
    });
    expect((await client.command('nothing.here', {})).status).toBe(404);
    expect((await client.command('standby.nothing', {})).status).toBe(400);
    expect((await client.command('standby.sync', undefined)).status).toBe(400);
    const info = (await client.command('poll.get_hardware_info', {})).body;
    expect(info).toMatchObject({ command_status: 'SUCCEEDED', command_name: 'get_hardware_info' });
    expect(info.command_result.disks.map((d: { serial: string }) => d.serial)).toEqual([
      ROOT_DISK,
      'LAB007DATA',
    ]);
    expect((await client.get(`/v1/commands/?agent_token=${TOKEN}`)).body.commands).toHaveLength(1);
  });

  it('runs one command at a time', async () => {
    await start({ pause: pauseAt(20) });
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const step = { step: { step: 'erase_devices', priority: 10, interface: 'deploy' }, node: {}, ports: [] };
    const started = (await client.command('clean.execute_clean_step', step, false)).body;
    expect(started.command_status).toBe('RUNNING');
    const refused = await client.command('standby.sync', {});
    expect(refused).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Agent is busy') },
    });
    const waited = await client.get(`/v1/commands/${started.id}?wait=true&agent_token=${TOKEN}`);
    expect(waited.body).toMatchObject({
      command_status: 'SUCCEEDED',
      command_result: {
        clean_result: { '/dev/nvme0n1': { serial: ROOT_DISK, verified: true, nonZeroBlocks: 0 } },
      },
    });
    expect(disks.get(ROOT_DISK)).toMatchObject({ image: null, canaries: [] });
  });

  it('leaves the old data behind a metadata erase, and says nothing of any disk', async () => {
    await start();
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const { clean_steps } = (await client.command('clean.get_clean_steps', { node: {}, ports: [] })).body
      .command_result;
    const step = clean_steps.GenericHardwareManager.find((s: { step: string }) =>
      s.step.endsWith('metadata'),
    );
    const done = await client.command('clean.execute_clean_step', { step, node: {}, ports: [] });
    expect(done.body.command_result).toEqual({ clean_result: null, clean_step: step });
    expect(disks.get(ROOT_DISK)).toMatchObject({ image: null, canaries: [expect.any(String)] });
    const other = { step, node: {}, ports: [], clean_version: { some: 'other' } };
    expect((await client.command('clean.execute_clean_step', other)).body.command_status).toBe(
      'CLEAN_VERSION_MISMATCH',
    );
  });

  /** What an erase in full answers, by disk. */
  async function erased(...faults: string[]): Promise<Record<string, Record<string, unknown> | null>> {
    await start({ faults: once(...faults) });
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const step = { step: { step: 'erase_devices' }, node: {}, ports: [] };
    return (await client.command('clean.execute_clean_step', step)).body.command_result.clean_result;
  }

  it('answers of each disk what the hardware manager of its ramdisk answers', async () => {
    const result = await erased('eraseRefused');
    expect(Object.keys(result)).toEqual(['/dev/nvme0n1', '/dev/nvme1n1']);
    expect(Object.keys(result['/dev/nvme1n1']!).sort()).toEqual([
      'direct',
      'failedMethods',
      'finishedAt',
      'leftAt',
      'leftBlocks',
      'method',
      'model',
      'nonZeroBlocks',
      'readSizeBytes',
      'rule',
      'sampledBlocks',
      'serial',
      'sizeBytes',
      'startedAt',
      'unreadableBlocks',
      'verified',
      'verifiedAt',
      'wwn',
    ]);
    expect([result['/dev/nvme0n1'], result['/dev/nvme1n1']]).toMatchObject([
      { method: 'overwrite', rule: 'zero', failedMethods: [{ method: 'nvme-format' }], verified: true },
      { method: 'nvme-format', rule: 'empty', failedMethods: [], verified: true },
    ]);
  });

  it('finds data that an erase left, and keeps that of a disk that it did not see', async () => {
    expect(await erased('eraseLeavesData', 'eraseMissesDisk')).toMatchObject({
      '/dev/nvme1n1': { leftBlocks: 1, nonZeroBlocks: 1, leftAt: [0], verified: false },
    });
    expect([ROOT_DISK, 'LAB007DATA'].map((serial) => disks.get(serial).canaries.length)).toEqual([1, 1]);
  });

  it('keeps the data of a disk that could not be erased', async () => {
    await start({ faults: once('eraseFails') });
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const step = { step: { step: 'erase_devices' }, node: {}, ports: [] };
    expect((await client.command('clean.execute_clean_step', step)).body).toMatchObject({
      command_status: 'FAILED',
      command_error: { type: 'BlockDeviceEraseError' },
    });
    expect(disks.get(ROOT_DISK).canaries).toHaveLength(1);
  });

  it('writes a boot entry for what it has written, and removes it when it is told to', async () => {
    let entries: readonly BootEntry[] = [];
    const kept = { read: () => entries, write: (now: readonly BootEntry[]) => void (entries = now) };
    const failing = new Set<string>();
    await start({ bootEntries: kept, faults: { take: (name) => failing.has(name) } });
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const install = async (root_uuid: unknown = 'none') =>
      (await client.command('image.install_bootloader', { root_uuid })).body;
    const clean = async (args?: object) =>
      (await client.command('clean.execute_clean_step', { step: { step: 'clean_uefi_nvram', ...args } }))
        .body;
    entries = [{ id: 'Boot0005', label: 'other', path: 'PciRoot(0x0)/Pci(0x1,0x0)' }];
    expect(await install()).toMatchObject({ command_status: 'SUCCEEDED' });
    expect(await install()).toMatchObject({ command_status: 'SUCCEEDED' });
    expect(entries.map(({ id, label }) => `${id} ${label}`)).toEqual(['Boot0006 ironic1', 'Boot0005 other']);
    failing.add('bootEntriesReadOnly');
    for (const refused of [await install(), await clean()])
      expect(refused.command_error?.details).toContain('Read-only file system');
    failing.delete('bootEntriesReadOnly');
    expect(await clean({ args: { match_patterns: ['(?!)'] } })).toMatchObject({
      command_status: 'SUCCEEDED',
    });
    expect(entries).toHaveLength(2);
    expect(await clean()).toMatchObject({ command_status: 'SUCCEEDED' });
    expect(entries.map(({ label }) => label)).toEqual(['other']);

    failing.add('imageWithoutEsp');
    expect((await install()).command_error?.type).toBe('DeviceNotFound');
    failing.delete('imageWithoutEsp');
    failing.add('imageWithoutLoader');
    expect((await install()).command_error?.type).toBe('InvalidImage');
    // Told that there is no root file system, it does not mind.
    expect(await install('0x00000000')).toMatchObject({ command_status: 'SUCCEEDED' });
    expect(entries).toHaveLength(1);
  });

  it('powers off and reboots after it has answered', async () => {
    await start();
    const client = agentClient(await firstHeartbeat(), TOKEN);
    expect((await client.command('standby.power_off', {})).body.command_status).toBe('SUCCEEDED');
    await until('power off', () => events.some((e) => e.event === 'poweroff'));
    expect((await client.command('standby.run_image', {})).body.command_status).toBe('SUCCEEDED');
    await until('reboot', () => events.some((e) => e.event === 'reboot'));
  });
});

describe('writing an image', () => {
  it('writes image and config drive, and the installed system reports its first boot, once', async () => {
    await start();
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const metadata = {
      uuid: 'i-1',
      hostname: 'web-1',
      meta: { rackwright_callback: `${gateway.url}/firstboot/t` },
    };
    const done = await client.command('standby.prepare_image', prepare({}, configDrive(metadata)));
    expect(done.body).toMatchObject({
      command_status: 'SUCCEEDED',
      command_result: {
        result: expect.stringContaining('prepare_image: image (test) written to device /dev/nvme0n1'),
      },
    });
    expect(disks.get(ROOT_DISK).image).toMatchObject({ id: 'test', digest: `sha256:${sha256(image)}` });
    gateway.refuse = 1;
    const system = { hardware, disks, pause: pauseAt(100) };
    expect(await bootDisk(system).ended).toBe('reported');
    expect(gateway.firstBoots).toEqual([
      expect.objectContaining({
        hostname: 'web-1',
        gpus: Array.from({ length: 8 }, () => ({ model: 'NVIDIA H100 80GB HBM3' })),
        disks: expect.arrayContaining([{ name: '/dev/nvme0n1', sizeBytes: 1e12 }]),
      }),
    ]);
    expect(await bootDisk(system).ended).toBe('nothing-to-report');
    expect(disks.get('LAB007DATA').canaries).toContainEqual(expect.stringContaining('data of instance i-1'));
  });

  it('writes to the disk that the node of the last command names', async () => {
    gateway.node = { ...gateway.node, properties: { root_device: { serial: ROOT_DISK } } };
    await start();
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const node = { ...gateway.node, properties: { root_device: { name: 's== /dev/nvme1n1' } } };
    await client.command('clean.get_clean_steps', { node, ports: [] });
    const done = await client.command('standby.prepare_image', prepare());
    expect(done.body.command_result.result).toContain('/dev/nvme1n1');
    expect(disks.get('LAB007DATA').image?.id).toBe('test');
  });

  it('runs the steps of a deploy, and says which one it was', async () => {
    await start();
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const node = { ...gateway.node, properties: { root_device: { serial: 'LAB007DATA' } } };
    const { deploy_steps, hardware_manager_version } = (
      await client.command('deploy.get_deploy_steps', { node, ports: [] })
    ).body.command_result;
    expect(deploy_steps.GenericHardwareManager).toEqual([
      { step: 'erase_devices_metadata', priority: 0, interface: 'deploy', reboot_requested: false },
      { step: 'write_image', priority: 0, interface: 'deploy', reboot_requested: false },
    ]);
    const run = async (step: object, deploy_version: object = hardware_manager_version) =>
      (await client.command('deploy.execute_deploy_step', { step, node, ports: [], deploy_version })).body;

    const erase = { interface: 'deploy', step: 'erase_devices_metadata', args: {} };
    expect(await run(erase)).toMatchObject({
      command_name: 'execute_deploy_step',
      command_status: 'SUCCEEDED',
      command_result: { deploy_step: erase },
    });
    expect(hardware.disks.map(({ serial }) => disks.get(serial).image)).toEqual([null, null]);
    const write = { interface: 'deploy', step: 'write_image', args: prepare() };
    expect((await run(write)).command_result.deploy_step).toEqual(write);
    expect(disks.get('LAB007DATA').image?.digest).toBe(`sha256:${sha256(image)}`);

    expect((await run(write, { some: 'other' })).command_status).toBe('CLEAN_VERSION_MISMATCH');
    expect(await run({ step: 'install_coffee' })).toMatchObject({
      command_status: 'FAILED',
      command_error: { type: 'DeploymentError', details: 'No such step: install_coffee' },
    });
  });

  it('leaves wrong bytes on the disk when a streamed image fails its check, and none when it was cached', async () => {
    await start();
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const wrong = { os_hash_value: '0'.repeat(64) };
    const cached = await client.command(
      'standby.prepare_image',
      prepare({ ...wrong, stream_raw_images: false }),
    );
    expect(cached.body.command_error.type).toBe('ImageChecksumError');
    expect(disks.get(ROOT_DISK).image?.id).toBe('old-os');
    const streamed = await client.command('standby.prepare_image', prepare(wrong));
    expect(streamed.body).toMatchObject({
      command_status: 'FAILED',
      command_error: { type: 'ImageChecksumError' },
    });
    expect(disks.get(ROOT_DISK).image?.id).toBe('test');
  });

  it.each([
    ['wrongImageBytes', 'ImageChecksumError'],
    ['agentFailsWrite', 'ImageWriteError'],
  ])('fails when told to: %s', async (fault, type) => {
    await start({ faults: once(fault) });
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const done = await client.command('standby.prepare_image', prepare());
    expect(done.body).toMatchObject({ command_status: 'FAILED', command_error: { type } });
    expect(disks.get(ROOT_DISK).image?.digest).not.toBe(`sha256:${sha256(image)}`);
    expect((await client.command('standby.prepare_image', prepare())).body.command_status).toBe('SUCCEEDED');
  });

  it('refuses an image without partitions and a missing one', async () => {
    await start();
    const client = agentClient(await firstHeartbeat(), TOKEN);
    const blank = new Uint8Array(4096);
    gateway.images.set('blank.raw', blank);
    const urls = (name: string) => ({ urls: [`${gateway.url}/images/t/${name}`] });
    const none = await client.command(
      'standby.prepare_image',
      prepare({ ...urls('blank.raw'), os_hash_value: sha256(blank) }),
    );
    expect(none.body.command_error.details).toContain('No partitions');
    const missing = await client.command('standby.prepare_image', prepare(urls('nothing.raw')));
    expect(missing.body.command_error.type).toBe('ImageDownloadError');
  });

  it('dies in the middle when told to', async () => {
    const agent = await start({ faults: once('agentDies') });
    const client = agentClient(await firstHeartbeat(), TOKEN);
    await client.command('standby.prepare_image', prepare(), false);
    expect(await agent.ended).toBe('stopped');
    await expect(client.get('/v1/status')).rejects.toThrow();
  });
});

describe('parts', () => {
  it('reads parameters between comments and padding', () => {
    expect(parseParameters('#MARK#\nipa-api-url=http://a/b?c=d\nx=1 y=2\n\n\n')).toEqual({
      'ipa-api-url': 'http://a/b?c=d',
      x: '1',
      y: '2',
    });
  });

  it.each([
    [undefined, ROOT_DISK],
    [{ serial: 'lab007data' }, 'LAB007DATA'],
    [{ serial: 's== LAB007DATA' }, 'LAB007DATA'],
    [{ size: '>= 2000' }, 'LAB007DATA'],
    [{ size: 931 }, ROOT_DISK],
    [{ wwn: 's== eui.lab007data', rotational: false }, 'LAB007DATA'],
    [{ size: '< 1000', name: '/dev/nvme0n1' }, ROOT_DISK],
  ])('finds the root device by %j', (hints, serial) => {
    expect(rootDevice(hardware.disks, hints).serial).toBe(serial);
  });

  it.each([[{ serial: 'other' }], [{ serial: ROOT_DISK, model: 'other' }], [{ unknown: 'x' }]])(
    'finds no root device by %j',
    (hints) => {
      expect(() => rootDevice(hardware.disks, hints)).toThrow('Error finding the disk');
    },
  );
});

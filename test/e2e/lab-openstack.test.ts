import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDataDir } from '../../activities/datadir.ts';
import { startLab, stopLab } from '../../client/up/lab.ts';
import { pythonVenv } from '../peers/peer.ts';

// Those who judge whether the lab's cloud is one: openstacksdk, and the command lines of OpenStack and of Ironic.

const run = promisify(execFile);
const CLIENTS = 'openstacksdk==4.22.0 python-openstackclient==10.5.0 python-ironicclient==6.3.0';
const SCRIPT = new URL('lab-openstack/client.py', import.meta.url).pathname;
const NODE = 'node-002';

let home: string;
let venv: string;
let env: NodeJS.ProcessEnv;
let folder: ReturnType<typeof openDataDir>;
let controlUrl: string;

interface Written {
  readonly openstack: {
    readonly authUrl: string;
    readonly region: string;
    readonly ca: string;
    readonly credentials: { readonly username: string; readonly password: string; readonly project: string };
  };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'rackwright-lab-openstack-'));
  folder = openDataDir(home);
  venv = await pythonVenv('openstack-clients', CLIENTS);
  const lab = await startLab(folder, {
    servers: '2',
    speed: '10',
    gatewayUrl: 'http://127.0.0.1:7480',
    openstack: true,
  });
  controlUrl = lab.controlUrl;
  const { openstack } = parse(readFileSync(lab.inventory, 'utf8')) as Written;
  const { username, password, project } = openstack.credentials;
  env = {
    PATH: process.env['PATH'],
    OS_AUTH_URL: openstack.authUrl,
    OS_REGION_NAME: openstack.region,
    OS_CACERT: join(folder.lab, openstack.ca),
    OS_USERNAME: username,
    OS_PASSWORD: readFileSync(password.replace(/^file:/, ''), 'utf8'),
    OS_PROJECT_NAME: project,
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    OS_IDENTITY_API_VERSION: '3',
  };
});
afterAll(async () => {
  if (folder !== undefined) await stopLab(folder);
  await rm(home, { recursive: true, force: true });
});

async function said(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(join(venv, 'bin', program), args, { env, cwd: home });
  return stdout;
}

async function faults(service: string, switches: object): Promise<void> {
  const answer = await fetch(`${controlUrl}/services/${service}/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(switches),
  });
  expect(answer.status).toBe(200);
}

it('is a cloud to openstacksdk: from the token to servers that come, work and go', async () => {
  expect(JSON.parse(await said('python', SCRIPT))).toEqual({
    catalog: ['baremetal', 'compute', 'identity', 'image', 'network', 'placement'],
    projects: ['acceptance'],
    image: { status: 'active', sha512: true, md5: true, same: true },
    compute: ['nova-compute up', 'nova-conductor up', 'nova-scheduler up'],
    hypervisors: ['QEMU', 'QEMU', 'ironic'],
    agents: [
      'Baremetal Node True',
      'DHCP agent True',
      'L3 agent True',
      'Metadata agent True',
      'Open vSwitch agent True',
    ],
    virtual: {
      status: 'ACTIVE',
      host: 'compute-2',
      networks: ['tenant'],
      address: '127.64.128.10',
      vif: [['ovs', true]],
      allocated: [['DISK_GB', 'MEMORY_MB', 'VCPU']],
      node: null,
      actions: ['create'],
      console: true,
      stopped: 'SHUTOFF',
      'ports left': 0,
    },
    'bare metal': {
      status: 'ACTIVE',
      host: 'controller-1-ironic',
      networks: ['tenant'],
      address: '127.64.0.2',
      vif: [['other', true]],
      allocated: [['CUSTOM_LAB_GPU_8']],
      node: ['active', true, 'power on'],
      actions: ['create'],
      'ports left': 0,
    },
    conductors: [
      ['controller-1', true],
      ['controller-2', true],
    ],
    drivers: ['ipmi', 'redfish'],
    ports: 2,
    validate: { power: true, management: true, deploy: false },
    managed: 'manageable',
    provided: 'available',
    inventory: ['CUSTOM_LAB_GPU_8', 'DISK_GB', 'DISK_GB', 'MEMORY_MB', 'MEMORY_MB', 'VCPU', 'VCPU'],
  });
  // The server of the lab itself was the node: what stood on its disk before is gone.
  const shown = (await (await fetch(`${controlUrl}/servers/${NODE}`)).json()) as {
    disks: { image: unknown }[];
  };
  expect(shown.disks[0]!.image).toBeNull();
});

// They wait more than they compute.
describe.concurrent('the command lines', () => {
  it('upload an image, and get it back', async () => {
    const bytes = Buffer.alloc(70_000, 'lab');
    writeFileSync(join(home, 'there.raw'), bytes);
    const create = [
      'image',
      'create',
      '--file',
      'there.raw',
      '--disk-format',
      'raw',
      'from-cli',
      '-f',
      'json',
    ];
    expect(JSON.parse(await said('openstack', ...create))).toMatchObject({
      status: 'active',
      size: bytes.length,
    });
    await said('openstack', 'image', 'save', '--file', 'back.raw', 'from-cli');
    expect(readFileSync(join(home, 'back.raw')).equals(bytes)).toBe(true);
  });

  it('have a server made and unmade', async () => {
    const what = ['--image', 'acceptance-image', '--flavor', 'm1.tiny', '--network', 'tenant'];
    const made = await said('openstack', 'server', 'create', ...what, '--wait', 'from-cli', '-f', 'json');
    expect(JSON.parse(made)).toMatchObject({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-1' });
    await said('openstack', 'server', 'delete', '--wait', 'from-cli');
  });

  it('see a fault as a fault', async () => {
    await faults('nova', { conductorDown: true });
    const ask = ['compute', 'service', 'list', '--service', 'nova-conductor', '-f', 'json'];
    const list = await said('openstack', ...ask);
    expect(JSON.parse(list)).toContainEqual(expect.objectContaining({ Host: 'controller-3', State: 'down' }));
    await faults('nova', { conductorDown: false });
  });

  it('carry a node of Ironic from free to manageable and back', async () => {
    await said('baremetal', 'node', 'manage', '--wait', '60', NODE);
    await said('baremetal', 'node', 'provide', '--wait', '60', NODE);
    const shown = await said('baremetal', 'node', 'show', NODE, '-f', 'json');
    expect(JSON.parse(shown)).toMatchObject({
      provision_state: 'available',
      power_state: 'power off',
      resource_class: 'lab-gpu-8',
    });
    const checks = JSON.parse(await said('baremetal', 'node', 'validate', NODE, '-f', 'json')) as {
      Interface: string;
      Result: unknown;
    }[];
    expect(checks.find(({ Interface }) => Interface === 'power')).toMatchObject({ Result: true });
  });
});

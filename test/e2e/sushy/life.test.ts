import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { startProduct, type Product } from '../support/product.ts';
import { Slots } from '../support/slots.ts';
import type { MediaDocument, SystemDocument } from './redfish.ts';
import { CPUS, GPU, MEMORY_MIB, startRack, type Rack } from './servers.ts';

/**
 * The main job on systems that no one here wrote: OpenStack's Redfish emulator, a deploy ISO made and read
 * by pycdlib, and nothing but the command line.
 */
const NODES = Number(process.env['RACKWRIGHT_E2E_NODES'] ?? 8);
const IMAGES = ['one', 'two'];
/** Commands that wait for their operation cost little; this many at once is for their memory. */
const COMMANDS = 20;
const VERBS = [
  ['enroll'],
  ['clean', '--erase', 'full'],
  ['deploy', '--image', 'one', '--owner', 'alice', '--hostname', 'trainer'],
  ['reimage', '--image', 'two'],
  ['release'],
  ['decommission'],
] as const;

let folder: string;
let rack: Rack;
let product: Product;

const file = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

/** A disk image, as far as firmware and agent look: a boot sector with its signature, and filling. */
function diskImage(name: string): string {
  const bytes = randomBytes(256 * 1024);
  bytes.set([0x55, 0xaa], 510);
  return file(`${name}.raw`, bytes);
}

async function baseIso(): Promise<string> {
  const target = join(folder, 'base.iso');
  await rack.iso.make(target, 'ir-vfd-dev', {
    'boot/vmlinuz': file('vmlinuz', randomBytes(200_000)),
    'boot/initrd': file('initrd', randomBytes(300_000)),
    'parameters.txt': file('parameters.txt', Buffer.from('#RACKWRIGHT-PARAMETERS#\n'.padEnd(4096, '\n'))),
  });
  return target;
}

const inventory = (gatewayUrl: string, iso: string): string =>
  stringify(
    {
      site: 'sushy',
      bmc: {
        credentials: { username: rack.sushy.username, password: 'env:SUSHY_PASSWORD' },
        auth: 'basic',
      },
      media: { gatewayUrl, iso },
      timeouts: { agent: '5m', firstBoot: '5m' },
      networks: { provisioning: { cidr: '127.0.0.0/8', kind: 'provisioning' } },
      images: IMAGES.map((name) => {
        const url = diskImage(name);
        const checksum = `sha256:${createHash('sha256').update(readFileSync(url)).digest('hex')}`;
        return { name, url, checksum, format: 'raw', architecture: 'x86_64', bootMode: 'uefi' };
      }),
      machineTypes: [
        {
          name: 'played',
          expect: {
            cpus: CPUS,
            memoryMiB: MEMORY_MIB,
            nics: 1,
            gpus: { count: 1, model: GPU },
            disks: [{ minBytes: 900_000_000_000, count: 1 }],
          },
        },
      ],
      nodes: rack.sushy.systems.map(({ name, uri, mac }) => ({
        name,
        type: 'played',
        bmc: { address: rack.sushy.url, system: uri },
        ports: [{ mac, switch: 'leaf-1', switchPort: `swp-${name}`, network: 'provisioning' }],
        rootDevice: { serial: `${name}-root` },
        architecture: 'x86_64',
        bootMode: 'uefi',
      })),
    },
    { aliasDuplicateObjects: false },
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-e2e-rack-'));
  rack = await startRack(NODES, folder);
  const iso = await baseIso();
  product = await startProduct({
    inventory: ({ gatewayUrl }) => inventory(gatewayUrl, iso),
    env: { SUSHY_PASSWORD: rack.sushy.password },
  });
});
afterAll(async () => {
  await product?.stop();
  await rack?.stop();
  await rm(folder, { recursive: true, force: true });
});

test(`${NODES} nodes from enrolled to decommissioned, all at once, by the command line alone`, async () => {
  const slots = new Slots(COMMANDS);
  const seconds = new Map<string, number[]>(VERBS.map(([verb]) => [verb, []]));
  const began = Date.now();
  const life = async (node: string): Promise<void> => {
    for (const [verb, ...options] of VERBS) {
      const asked = Date.now();
      const args = ['node', verb, node, ...options, '--on-failure', 'fail', '--json'];
      const { code, stdout, stderr } = await slots.run(() => product.cli(...args));
      if (code !== 0) {
        const said = rack.servers.get(node)!.said.join('\n');
        throw new Error(`${verb} of ${node} ended with ${code}:\n${stderr}\nits server says:\n${said}`);
      }
      expect(JSON.parse(stdout)).toMatchObject({ outcome: 'pass', residue: [] });
      seconds.get(verb)!.push((Date.now() - asked) / 1000);
    }
  };
  const lives = await Promise.allSettled([...rack.servers.keys()].map(life));
  const troubles = [...rack.servers.values()].flatMap(({ events }) =>
    events.flatMap(({ event, detail }) => (event === 'trouble' ? [detail] : [])),
  );
  const failures = lives.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  expect({ failures, troubles }).toEqual({ failures: [], troubles: [] });
  const table = [...seconds].map(([verb, took]) => {
    const sorted = took.toSorted((a, b) => a - b);
    return `${verb} ${sorted[sorted.length >> 1]!.toFixed(0)} s (longest ${sorted.at(-1)!.toFixed(0)} s)`;
  });
  console.log(
    `${NODES} nodes in ${((Date.now() - began) / 1000).toFixed(0)} s; median of a verb: ${table.join(', ')}`,
  );
});

test('the emulator has every system off, without media, without override', async () => {
  for (const { uri } of rack.sushy.systems) {
    const system = await rack.bmc.get<SystemDocument>(uri);
    // It has no word for "no override": the disk is what it begins with.
    expect(system).toMatchObject({ PowerState: 'Off', Boot: { BootSourceOverrideTarget: 'Hdd' } });
    for (const drive of ['Cd', 'Floppy']) {
      const media = await rack.bmc.get<MediaDocument>(`${uri}/VirtualMedia/${drive}`);
      expect(media).toMatchObject({ Inserted: false, Image: '' });
    }
  }
});

test('every server booted its media and its systems as often as it should, and its disks are empty', () => {
  for (const server of rack.servers.values()) {
    const counted = ['media', 'first-boot', 'silent-boot', 'no-system'] as const;
    const counts = Object.fromEntries(counted.map((event) => [event, server.count(event)]));
    expect(counts).toEqual({ media: 5, 'first-boot': 2, 'silent-boot': 0, 'no-system': 0 });
    for (const { serial } of server.hardware.disks) {
      expect(server.disks.get(serial)).toMatchObject({ image: null, configDrive: false, canaries: [] });
    }
  }
});

test('the list of nodes says decommissioned for each, and nothing runs', async () => {
  const { nodes } = await product.json<{ nodes: object[] }>('node', 'list');
  expect(nodes).toHaveLength(NODES);
  for (const node of nodes) expect(node).toMatchObject({ phase: 'decommissioned', flags: [], owner: null });
  const { operations } = await product.json<{ operations: object[] }>('op', 'list', '--running');
  expect(operations).toEqual([]);
  expect(await product.json('status')).toMatchObject({
    running: 0,
    held: [],
    phases: { decommissioned: NODES },
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import { startLab } from '../../../lab/lab.ts';
import { HostPeer } from '../../peers/host.ts';
import { Switch } from '../../peers/namespaces.ts';

/** Two hosts on one switch, a BMC of the lab, and the contract of them all. */
export interface HostSite {
  readonly hosts: { readonly c1: HostPeer; readonly c2: HostPeer };
  readonly network: Switch;
  readonly inventory: Inventory;
  /** Where the BMC is. */
  readonly bmc: { readonly address: string; readonly port: number };
  readonly folder: string;
  stop(): Promise<void>;
}

/** Its reference time is now: put between double quotes for the shell. */
export const SYNCED =
  'C0000201,192.0.2.1,3,$(date +%s).1,0.000012,0.000003,0.000021,-12.3,0.001,0.03,0.0004,0.0002,64.1,Normal';
export const UNSYNCED =
  '00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised';
export const HOSTS = '127.0.0.1 localhost\n192.0.2.11 c1\n192.0.2.12 c2\n';
const MAC = { c1: '52:54:00:00:10:11', c2: '52:54:00:00:10:12' } as const;
const STORAGE_MAC = { c1: '52:54:00:00:20:11', c2: '52:54:00:00:20:12' } as const;
/** The user of sessions that are not root's becomes root without a password; programs that stand in front are found. */
export const SUDOERS = 'Defaults !secure_path\nnobody ALL=(ALL) NOPASSWD: ALL\n';

/** What lsblk says of a host with a disk for the system and one for Ceph. */
export const lsblk = (data: object = { fstype: 'LVM2_member', children: [OSD] }): string =>
  JSON.stringify({
    blockdevices: [
      {
        name: '/dev/sda',
        kname: '/dev/sda',
        type: 'disk',
        size: 480103981056,
        serial: 'S1',
        wwn: '0x500a0751e5d0a001',
        fstype: null,
        mountpoints: [null],
        children: [
          { name: '/dev/sda1', kname: '/dev/sda1', type: 'part', fstype: 'ext4', mountpoints: ['/'] },
        ],
      },
      {
        name: '/dev/sdb',
        kname: '/dev/sdb',
        type: 'disk',
        size: 3840755982336,
        serial: 'S2',
        wwn: '0x500a0751e5d0a002',
        mountpoints: [null],
        ...data,
      },
    ],
  });
const OSD = {
  name: '/dev/mapper/ceph--1f2e-osd--block--7c1d',
  kname: '/dev/dm-0',
  type: 'lvm',
  fstype: 'ceph_bluestore',
  mountpoints: [null],
};

export async function startHostSite(): Promise<HostSite> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-host-site-'));
  const lab = await startLab({ dataDir: join(folder, 'lab'), servers: 1 });
  const theirs = parse(readFileSync(lab.inventory, 'utf8')) as {
    bmc: { credentials: object };
    nodes: { bmc: { address: string } }[];
  };
  const { hostname, port } = new URL(theirs.nodes[0]!.bmc.address);
  const bmc = { address: hostname, port: Number(port) };
  const network = await Switch.start('192.0.2.1/24');
  const host = async (name: 'c1' | 'c2', digit: string): Promise<HostPeer> => {
    const peer = await HostPeer.start({
      name,
      machineId: digit.repeat(32),
      bootId: `${digit.repeat(8)}-1111-4111-8111-111111111111`,
      hosts: HOSTS,
      sudoers: SUDOERS,
      programs: {
        chronyc: `echo "${SYNCED}"`,
        lsblk: `cat <<'END'\n${lsblk()}\nEND`,
      },
      devices: ['sda', 'sda1', 'sdb'],
      links: {
        '/dev/disk/by-id/wwn-0x500a0751e5d0a001': 'sda',
        '/dev/disk/by-id/wwn-0x500a0751e5d0a002': 'sdb',
      },
      unprivileged: name === 'c2',
    });
    await peer.plug(network, 'enp1s0', MAC[name], `192.0.2.1${digit}/24`);
    await peer.plug(network, 'enp2s0', STORAGE_MAC[name]);
    // What the worker has at this address, as a host would see it.
    await peer.service(bmc.address, bmc.port, true);
    return peer;
  };
  const hosts = { c1: await host('c1', '1'), c2: await host('c2', '2') };
  const controllers = (['c1', 'c2'] as const).map((name) => ({
    name,
    address: `192.0.2.1${name[1]}`,
    ssh: hosts[name].ssh,
    interfaces: [
      { name: 'enp1s0', mac: MAC[name], network: 'control', address: `192.0.2.1${name[1]}` },
      { name: 'enp2s0', mac: STORAGE_MAC[name] },
    ],
    disks: [
      { path: '/dev/disk/by-id/wwn-0x500a0751e5d0a001', owner: 'os' },
      { path: '/dev/disk/by-id/wwn-0x500a0751e5d0a002', owner: 'ceph' },
    ],
    ...(name === 'c1' ? { bmc: { address: theirs.nodes[0]!.bmc.address } } : {}),
  }));
  const inventory = Inventory.parse({
    site: 'test',
    bmc: { credentials: theirs.bmc.credentials, tls: { ca: join(folder, 'lab', 'ca.pem') } },
    networks: { control: { cidr: '192.0.2.0/24', kind: 'management', gateway: '192.0.2.1' } },
    controllers,
    // The way there and back takes as long as it takes here.
    acceptance: { gates: [1, 2], clockDifference: 60 },
  });
  return {
    hosts,
    network,
    inventory,
    bmc,
    folder,
    async stop() {
      await Promise.all(Object.values(hosts).map((each) => each.stop()));
      await network.stop();
      await lab.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What stands behind a reference. */
export const secret = (reference: string): string =>
  readFileSync(reference.replace('file:', ''), 'utf8').trim();

/** What a check is to find. */
export const finding = (target: string, faultDomain: string, message: RegExp, code = 'CHECK_FAILED') => ({
  target,
  failure: { code, faultDomain, message: expect.stringMatching(message) as string },
});

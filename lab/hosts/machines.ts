import { randomBytes, randomUUID } from 'node:crypto';
import { controllers } from '../kubernetes/objects.ts';

/** What tells a controller from others: random for each lab, the same after a restart. */
export interface Machine {
  readonly machineId: string;
  readonly bootId: string;
  readonly productUuid: string;
}

export const newMachines = (): Machine[] =>
  controllers().map(() => ({
    machineId: randomBytes(16).toString('hex'),
    bootId: randomUUID(),
    productUuid: randomUUID(),
  }));

const CARDS = ['enp1s0', 'enp2s0'] as const;
const DISKS = [
  { owner: 'os', name: 'sda', wwn: '0x500a0751e5d0a' },
  { owner: 'ceph', name: 'sdb', wwn: '0x500a0751e5d0b' },
] as const;

const macOf = (host: number, card: number): string => `52:54:00:0c:0${card + 1}:0${host + 1}`;
const wwnOf = (wwn: string, host: number): string => `${wwn}00${host + 1}`;
const pathOf = (wwn: string, host: number): string => `/dev/disk/by-id/wwn-${wwnOf(wwn, host)}`;

/** What the contract says of a controller beside how it is logged in to. */
export function baselineOf(host: number): { readonly [field: string]: unknown } {
  const { name, address } = controllers()[host]!;
  return {
    name,
    address,
    hostname: name,
    interfaces: CARDS.map((card, i) => ({
      name: card,
      mac: macOf(host, i),
      ...(i === 0 ? { network: 'provisioning', address } : {}),
    })),
    disks: DISKS.map(({ owner, wwn }) => ({ path: pathOf(wwn, host), owner })),
  };
}

/** What the tools of a controller answer with, by the names of their variables. */
export function answersOf(
  host: number,
  machines: readonly Machine[],
  hostKey: string,
  on: (fault: string) => boolean,
): { readonly [variable: string]: string } {
  const all = controllers();
  const [first, own] = [all[0]!, all[host]!];
  const { machineId, bootId, productUuid } = machines[host]!;
  const named = all
    .filter(({ name }) => name !== first.name || !on('nameMissing'))
    .map(({ name, address }) => {
      const elsewhere = name === first.name && on('nameResolvesElsewhere');
      return `${elsewhere ? '127.0.0.99' : address} ${name}`;
    });
  return {
    LAB_HOSTNAME: on('hostnameOther') ? 'localhost.localdomain' : own.name,
    LAB_MACHINE_ID: on('machineCopied') ? machines[0]!.machineId : machineId,
    LAB_BOOT_ID: bootId,
    LAB_PRODUCT_UUID: productUuid,
    LAB_HOST_KEY: `${hostKey} root@${own.name}`,
    LAB_HOSTS: ['127.0.0.1 localhost', ...named].join('\n'),
    LAB_ADDRESS: own.address,
    LAB_LINKS: JSON.stringify(links(host, own.address, on)),
    LAB_DISKS: JSON.stringify({ blockdevices: disks(host, on) }),
    LAB_PATHS: shownDisks(on)
      .map(({ name, wwn }) => `${pathOf(wwn, host)} /dev/${name}`)
      .join('\n'),
    LAB_SUDO: on('sudoPassword') ? 'password' : '',
    LAB_TIME: on('timeUnsynced') ? '' : '192.0.2.1',
    LAB_BLOCKED: on('routeBlocked') ? first.address : '',
  };
}

const links = (host: number, address: string, on: (fault: string) => boolean): object[] => [
  {
    ifname: 'lo',
    flags: ['LOOPBACK', 'UP', 'LOWER_UP'],
    addr_info: [{ family: 'inet', local: '127.0.0.1', prefixlen: 8 }],
  },
  ...CARDS.map((card, i) => {
    const cut = i === 1 && on('linkDown');
    return {
      ifname: i === 0 && on('interfaceRenamed') ? 'eth0' : card,
      flags: cut
        ? ['NO-CARRIER', 'BROADCAST', 'MULTICAST', 'UP']
        : ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'],
      operstate: cut ? 'DOWN' : 'UP',
      address: macOf(host, i),
      addr_info: i === 0 ? [{ family: 'inet', local: address, prefixlen: 8 }] : [],
    };
  }),
];

const shownDisks = (on: (fault: string) => boolean): readonly (typeof DISKS)[number][] =>
  DISKS.filter(({ owner }) => owner !== 'ceph' || !on('diskMissing'));

const disks = (host: number, on: (fault: string) => boolean): object[] =>
  shownDisks(on).map(({ owner, name, wwn }) => ({
    name: `/dev/${name}`,
    kname: `/dev/${name}`,
    type: 'disk',
    size: owner === 'os' ? 480_103_981_056 : 3_840_755_982_336,
    serial: `LAB${host + 1}${name.toUpperCase()}`,
    wwn: wwnOf(wwn, host),
    fstype: owner === 'os' ? null : on('diskForeign') ? 'xfs' : 'ceph_bluestore',
    mountpoints: [null],
    ...(owner === 'os'
      ? {
          children: [
            {
              name: `/dev/${name}1`,
              kname: `/dev/${name}1`,
              type: 'part',
              fstype: 'ext4',
              mountpoints: ['/'],
            },
          ],
        }
      : {}),
  }));

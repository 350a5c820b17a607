import { describe, expect, it } from 'vitest';
import { readDisks } from '../../../core/host/block-devices.ts';
import { judgeDisks } from '../../../core/host/disk-owners.ts';

const part = (kname: string, over: object = {}) => ({
  name: kname,
  kname,
  type: 'part',
  fstype: null,
  label: null,
  partlabel: null,
  mountpoints: [null],
  ...over,
});
const disk = (letter: string, over: object = {}) => ({
  name: `/dev/sd${letter}`,
  kname: `/dev/sd${letter}`,
  type: 'disk',
  size: 480103981056,
  serial: `SERIAL${letter}`,
  wwn: `0x500a0751e5d0a00${letter}`,
  fstype: null,
  label: null,
  partlabel: null,
  mountpoints: [null],
  ...over,
});
const SYSTEM = disk('a', {
  children: [
    part('/dev/sda1', { fstype: 'vfat', mountpoints: ['/boot/efi'] }),
    part('/dev/sda2', {
      fstype: 'LVM2_member',
      children: [
        part('/dev/dm-0', { name: '/dev/mapper/rl-root', type: 'lvm', fstype: 'xfs', mountpoints: ['/'] }),
        part('/dev/dm-1', {
          name: '/dev/mapper/rl-swap',
          type: 'lvm',
          fstype: 'swap',
          mountpoints: ['[SWAP]'],
        }),
      ],
    }),
  ],
});
const OSD = (kname: string, over: object = {}) =>
  part(kname, {
    name: '/dev/mapper/ceph--9a8b-osd--block--7c1d',
    type: 'lvm',
    fstype: 'ceph_bluestore',
    ...over,
  });

interface Wanted {
  readonly path: string;
  readonly owner: string;
  readonly target?: string;
}
const by = (letter: string, owner: string): Wanted => ({
  path: `/dev/disk/by-id/wwn-${letter}`,
  owner,
  target: `/dev/sd${letter}`,
});

function judge(devices: readonly object[], wanted: readonly Wanted[]): string[] {
  const answers = {
    lsblk: { text: JSON.stringify({ blockdevices: devices }), exit: 0 },
    paths: { text: wanted.map(({ target = '' }, i) => `path ${i + 1} ${target}`).join('\n'), exit: 0 },
    links: {
      text: 'link /dev/sda /dev/disk/by-id/wwn-a\nlink /dev/sda1 /dev/disk/by-id/wwn-a-part1',
      exit: 0,
    },
  };
  return judgeDisks(
    wanted,
    readDisks(
      answers,
      wanted.map(({ path }) => path),
    ),
  ).map(({ message }) => message);
}

describe('disks', () => {
  it.each<[string, object[], Wanted[]]>([
    [
      'for the system and for Ceph',
      [SYSTEM, disk('b', { fstype: 'LVM2_member', children: [OSD('/dev/dm-2')] })],
      [by('a', 'os'), by('b', 'ceph')],
    ],
    [
      'that are empty',
      [SYSTEM, disk('b'), disk('c')],
      [by('a', 'system'), by('b', 'ceph-osd'), by('c', 'nova')],
    ],
    ['of Ceph that Rook made, without LVM', [disk('b', { fstype: 'ceph_bluestore' })], [by('b', 'ceph')]],
    [
      'of Ceph that are encrypted',
      [
        disk('b', {
          fstype: 'LVM2_member',
          children: [
            OSD('/dev/dm-2', {
              fstype: 'crypto_LUKS',
              children: [
                part('/dev/dm-3', { name: '/dev/mapper/Xy12', type: 'crypt', fstype: 'ceph_bluestore' }),
              ],
            }),
          ],
        }),
      ],
      [by('b', 'ceph')],
    ],
    [
      'of another owner with a file system of its own',
      [SYSTEM, disk('b', { fstype: 'xfs', mountpoints: ['/var/lib/nova'] })],
      [by('a', 'os'), by('b', 'nova')],
    ],
    [
      'where the system has a mirror',
      [
        disk('a', { children: [part('/dev/md0', { type: 'raid1', mountpoints: ['/'] })] }),
        disk('b', { children: [part('/dev/md0', { type: 'raid1', mountpoints: ['/'] })] }),
      ],
      [by('a', 'os'), by('b', 'os')],
    ],
    [
      'with several ways to one',
      [
        disk('b', {
          wwn: '0x5',
          children: [part('/dev/dm-4', { name: '/dev/mapper/mpatha', type: 'mpath' })],
        }),
        disk('c', {
          wwn: '0x5',
          children: [part('/dev/dm-4', { name: '/dev/mapper/mpatha', type: 'mpath' })],
        }),
      ],
      [{ path: '/dev/disk/by-id/dm-uuid-mpath-1', owner: 'ceph', target: '/dev/dm-4' }],
    ],
    // util-linux 2.36 and older, where lsblk says one mount point.
    [
      'as an older lsblk says it',
      [{ ...disk('a'), mountpoints: undefined, mountpoint: '/' }],
      [by('a', 'os')],
    ],
  ])('%s are right', (_what, devices, wanted) => {
    expect(judge(devices, wanted)).toEqual([]);
  });

  it.each<[string, object[], Wanted[], RegExp[]]>([
    [
      'that are not there',
      [SYSTEM],
      [{ path: '/dev/disk/by-id/wwn-x', owner: 'ceph' }],
      [/There is no .*wwn-x/],
    ],
    [
      'that are a part of one',
      [SYSTEM],
      [{ path: '/dev/disk/by-id/wwn-a-part1', owner: 'os', target: '/dev/sda1' }],
      [/not a whole disk, but of type part/, /runs from \/dev\/sda/],
    ],
    [
      'that are something else',
      [SYSTEM],
      [{ path: '/dev/disk/by-id/x', owner: 'ceph', target: '/dev/null' }],
      [/leads to \/dev\/null, which is not a disk/],
    ],
    [
      'called as the kernel calls them',
      [disk('b')],
      [{ path: '/dev/sdb', owner: 'ceph', target: '/dev/sdb' }],
      [/sdb is a name that the kernel gave/],
    ],
    [
      'named twice',
      [disk('b')],
      [by('b', 'ceph'), { ...by('b', 'nova'), path: '/dev/disk/by-path/pci-1' }],
      [/are one disk, which the contract gives to nova and to ceph/],
    ],
    [
      'seen twice',
      [disk('b', { wwn: '0x5' }), disk('c', { wwn: '0x5' })],
      [by('b', 'ceph'), by('c', 'ceph')],
      [/wwn-c and .*wwn-b are one disk\./],
    ],
    [
      'of Ceph with the system on it',
      [SYSTEM],
      [by('a', 'ceph')],
      [/belongs to ceph by the contract, and the operating system has \/boot\/efi, \/, \[SWAP\] on it/],
    ],
    [
      'of Ceph with a file system that is mounted',
      [disk('b', { fstype: 'xfs', mountpoints: ['/srv/data'] })],
      [by('b', 'ceph')],
      [/mounted at \/srv\/data/],
    ],
    [
      'of Ceph with a file system',
      [disk('b', { children: [part('/dev/sdb1', { fstype: 'ext4' })] })],
      [by('b', 'ceph')],
      [/sdb1 on it has ext4, which is not Ceph's/],
    ],
    [
      'of Ceph in an array',
      [disk('b', { fstype: 'linux_raid_member' })],
      [by('b', 'ceph')],
      [/linux_raid_member, which is not Ceph's/],
    ],
    [
      'of another with Ceph on it',
      [disk('b', { fstype: 'LVM2_member', children: [OSD('/dev/dm-2')] })],
      [by('b', 'nova')],
      [/dm-2 on it has data of Ceph/],
    ],
    [
      'of the system, where it is elsewhere',
      [SYSTEM, disk('b')],
      [by('b', 'os')],
      [/runs from \/dev\/sda, and the contract gives it .*wwn-b/],
    ],
    [
      'of two owners under one volume',
      [
        disk('b', { children: [part('/dev/md1', { type: 'raid0' })] }),
        disk('c', { children: [part('/dev/md1', { type: 'raid0' })] }),
      ],
      [by('b', 'nova'), by('c', 'logs')],
      [/md1 lies on .*wwn-b of nova and on .*wwn-c of logs/],
    ],
  ])('%s are not', (_what, devices, wanted, messages) => {
    expect(judge(devices, wanted)).toEqual(messages.map((each) => expect.stringMatching(each)));
  });

  it('are told by lsblk: without it, or with another answer, nothing can be told', () => {
    const answers = { lsblk: { text: '', exit: 127 }, paths: { text: '', exit: 0 } };
    expect(() => readDisks(answers, [])).toThrow('It has no `lsblk`');
    expect(() => readDisks({ ...answers, lsblk: { text: '[]', exit: 0 } }, [])).toThrow('list of devices');
    const listed = { ...answers, lsblk: { text: '{"blockdevices":[]}', exit: 0 } };
    expect(() => readDisks(listed, ['/dev/disk/by-id/x'])).toThrow('does not say what /dev/disk/by-id/x is');
  });
});

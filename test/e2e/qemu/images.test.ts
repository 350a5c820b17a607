import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { kernelProblem, ramdiskProblem } from '../../../core/agent/media-layout.ts';
import {
  asQcow2,
  busyboxGuest,
  debianGuest,
  ipaRamdisk,
  missingForImages,
} from '../../peers/qemu/images/index.ts';

/** What machines boot in the tests beside this one: built where it is not there yet, and read without booting it. */

const run = promisify(execFile);
const ROOT = new URL('../../..', import.meta.url).pathname;
const MIB = 1024 * 1024;

const missing = missingForImages();
if (missing !== undefined) console.warn(`skipped: this host lacks ${missing}`);

/** Paths and contents of a ramdisk, as cpio reads them. */
const inRamdisk = async (ramdisk: string, path: string): Promise<string> => {
  const command = `lz4 -dc "$1" | cpio --quiet --extract --to-stdout "$2"`;
  const { stdout } = await run('sh', ['-c', command, 'sh', ramdisk, path], { maxBuffer: 64 * MIB });
  return stdout;
};
const pathsOf = async (ramdisk: string): Promise<string[]> => {
  const { stdout } = await run('sh', ['-c', 'lz4 -dc "$1" | cpio --quiet --list', 'sh', ramdisk], {
    maxBuffer: 64 * MIB,
  });
  return stdout.split('\n');
};

const checkDisk = async (disk: string): Promise<string> => (await run('sgdisk', ['-v', '-p', disk])).stdout;

/** The root file system is the second partition of the Debian guest; debugfs reads it without mounting it. */
const inRoot = async (disk: string, command: string): Promise<string> => {
  const first = /^ +2 +(\d+)/m.exec(await checkDisk(disk))?.[1];
  const at = `${disk}?offset=${Number(first) * 512}`;
  return (await run('debugfs', ['-R', command, at], { maxBuffer: MIB })).stdout;
};

const passwords = (shadow: string): string[] =>
  shadow
    .trim()
    .split('\n')
    .map((line) => line.split(':')[1]!);

describe.skipIf(missing !== undefined)('what a machine boots', () => {
  it('is a kernel and a ramdisk that media are built of, with the agent and what it calls', async () => {
    const { kernel, ramdisk } = await ipaRamdisk();
    expect(kernelProblem(readFileSync(kernel).subarray(0, 1024), 'x86_64')).toBeUndefined();
    expect(ramdiskProblem(readFileSync(ramdisk).subarray(0, 1024))).toBeUndefined();

    const paths = await pathsOf(ramdisk);
    const programs = new Set(
      paths.filter((path) => /^usr\/s?bin\//.test(path)).map((path) => path.replace(/.*\//, '')),
    );
    const called =
      'lsblk lshw lscpu ip udevadm ethtool dmidecode mount umount parted partprobe sgdisk blockdev blkid wipefs dd hexdump qemu-img efibootmgr hwclock poweroff reboot shred hdparm nvme smartctl mdadm fuser';
    expect(called.split(' ').filter((each) => !programs.has(each))).toEqual([]);
    for (const driver of ['ahci', 'nvme', 'virtio_blk', 'virtio_net', 'sr_mod', 'isofs', 'efivarfs'])
      expect(paths.some((path) => path.endsWith(`/${driver}.ko`))).toBe(true);

    const points = paths.filter((path) => /dist-packages\/[^/]+\.dist-info\/entry_points\.txt$/.test(path));
    const groups = await Promise.all(points.map((path) => inRamdisk(ramdisk, path)));
    const managers = groups.filter((text) => text.includes('[ironic_python_agent.hardware_managers]'));
    expect(managers).toHaveLength(existsSync(join(ROOT, 'agent')) ? 2 : 1);
    expect(paths.filter((path) => path.includes('python-entrypoints'))).toEqual([]);
    expect(passwords(await inRamdisk(ramdisk, 'etc/shadow')).every((each) => each === '!')).toBe(true);
  });

  it('is one disk for each name of a small guest, no two of them the same', async () => {
    const disks = [
      await busyboxGuest({ name: 'a' }),
      await busyboxGuest({ name: 'b' }),
      await busyboxGuest({ name: 'a', silent: true }),
    ];
    for (const disk of disks) {
      expect(statSync(disk).size).toBeLessThanOrEqual(64 * MIB);
      expect(await checkDisk(disk)).toMatch(/No problems found[^]*\b1 +\d+ +\d+ .* EF00 +ESP\b/);
    }
    expect(new Set(disks.map((disk) => readFileSync(disk).toString('base64'))).size).toBe(3);
    expect(await busyboxGuest({ name: 'a' })).toBe(disks[0]);

    const inEsp = async (disk: string, path: string): Promise<string> =>
      (await run('mdir', ['-b', '-i', `${disk}@@1M`, path])).stdout;
    expect(await inEsp(disks[0]!, '::/EFI/BOOT')).toBe('::/EFI/BOOT/BOOTX64.EFI\n');
    const vendor = await busyboxGuest({ name: 'a', loader: 'vendor' });
    expect(await inEsp(vendor, '::/EFI')).toBe('::/EFI/guest/\n');
    expect(await inEsp(vendor, '::/EFI/guest')).toMatch(/grubx64\.efi\n.*BOOTX64\.CSV\n$/i);

    const qcow2 = await asQcow2(disks[0]!);
    const { stdout } = await run('qemu-img', ['compare', disks[0]!, qcow2]);
    expect(stdout).toMatch(/Images are identical/);
  });

  it('is a Debian with cloud-init and our service, in which nobody has a password', async () => {
    const disk = await debianGuest();
    expect(await checkDisk(disk)).toMatch(/No problems found[^]*EF00 +ESP\b[^]*8304 +debian-root\b/);
    expect(await inRoot(disk, 'cat /usr/local/lib/rackwright/report.py')).toBe(
      readFileSync(join(ROOT, 'examples', 'first-boot', 'report.py'), 'utf8'),
    );
    const wanted = await inRoot(disk, 'ls -p /etc/systemd/system/multi-user.target.wants');
    expect(wanted).toContain('/rackwright-first-boot.service/');
    expect(await inRoot(disk, 'cat /etc/cloud/cloud.cfg.d/90-guest.cfg')).toContain('[ConfigDrive, NoCloud]');
    for (const each of passwords(await inRoot(disk, 'cat /etc/shadow')))
      expect(['*', '!', '!*']).toContain(each);
    expect(await inRoot(disk, 'ls -p /etc/ssh')).not.toContain('/ssh_host_');
  });
});

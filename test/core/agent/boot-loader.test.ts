import { expect, it } from 'vitest';
import {
  fallbackLoader,
  readBootLoader,
  refusalOf,
  REMOVED_ENTRIES,
} from '../../../core/agent/boot-loader.ts';
import { readCommand } from '../../../core/agent/command.ts';

const ROOT = '8a1b2c3d-0000-5000-8000-000000000000';
const NOT_FOUND = 'Error finding the disk or partition device to deploy the image onto';

/** As ironic-python-agent 13 answers. */
it.each([
  ['installed', null],
  [
    'no-partition',
    {
      type: 'DeviceNotFound',
      message: NOT_FOUND,
      details:
        'No EFI partition could be detected on device /dev/vda and EFI partition UUID has not been recorded during deployment (which is often the case for whole disk images). Are you using a UEFI-compatible image?',
    },
  ],
  [
    'no-loader',
    {
      type: 'InvalidImage',
      message: 'The provided image is not valid for use',
      details:
        'Install of legacy BIOS bootloaders disabled by CONF.enable_bios_bootloader_install as part of CVE-2026-43003 mitigation.',
    },
  ],
  [
    'no-loader',
    {
      type: 'DeviceNotFound',
      message: NOT_FOUND,
      details: 'No partition with UUID 8a1b2c3d-0000-5000-8000-000000000000 found on device /dev/vda',
    },
  ],
  // On an MBR disk sgdisk makes up the GUID of each partition, another at each call.
  [
    'no-entry',
    {
      type: 'DeviceNotFound',
      message: NOT_FOUND,
      details: 'No partition with UUID 6f0b7a52-33aa-4cf5-9d3e-0c6a5b1d2e3f found on device /dev/vda',
    },
  ],
  [
    'no-entry',
    {
      type: 'DeviceNotFound',
      message: NOT_FOUND,
      details:
        "Cannot detect the partition number of the device /dev/mapper/x: invalid literal for int() with base 10: '/dev/mapper/x'",
    },
  ],
  [
    'no-partition',
    {
      type: 'CommandExecutionError',
      message: 'Command execution failed',
      details:
        "Unexpected error while running command.\nCommand: parted --script /dev/vda -- print\nExit code: 1\nStdout: ''\nStderr: 'Error: /dev/vda: unrecognised disk label'",
    },
  ],
  [
    'no-entry',
    {
      type: 'CommandExecutionError',
      message: 'Command execution failed',
      details:
        "Could not configure UEFI boot on device /dev/vda: Unexpected error while running command.\nCommand: efibootmgr -v -c -d /dev/vda -p 1 -w -L ironic1 -l \\EFI\\BOOT\\BOOTX64.EFI\nExit code: 5\nStdout: ''\nStderr: 'Could not prepare Boot variable: No space left on device'",
    },
  ],
  [
    'no-entry',
    {
      type: 'CommandExecutionError',
      message: 'Command execution failed',
      details:
        "Could not configure UEFI boot on device /dev/vda: Unexpected error while running command.\nCommand: efibootmgr -v\nExit code: 1\nStderr: 'Could not read Boot0001: Input/output error'",
    },
  ],
  ...[
    "[Errno 2] No such file or directory: 'sgdisk'",
    "ImageExtension.install_bootloader() got an unexpected keyword argument 'ignore_bootloader_failure'",
    'list index out of range',
    'Could not configure UEFI boot on device /dev/vda: Unexpected error while running command.\nCommand: mount /dev/vda1 /tmp/tmp1/boot/efi\nExit code: 255\nStderr: mount: mounting /dev/vda1 on /tmp/tmp1/boot/efi failed: No such device',
    "'utf-16-le' codec can't decode byte 0x0a in position 40: truncated data",
  ].map(
    (details) =>
      ['no-entry', { type: 'CommandExecutionError', message: 'Command execution failed', details }] as const,
  ),
  // The disk, or what was done to it, and not the entry.
  ...[
    "Could not configure UEFI boot on device /dev/vda: Unexpected error while running command.\nCommand: mount /dev/vda1 /tmp/tmp1/boot/efi\nExit code: 32\nStderr: 'cannot read superblock: Input/output error'",
    "Unexpected error while running command.\nCommand: parted --script /dev/vda -- print\nExit code: 1\nStderr: 'Error: Could not stat device /dev/vda - No such device'",
    'Umounting efi system partition failed. Attempted 3 times. Error: target is busy',
  ].map(
    (details) =>
      ['failed', { type: 'CommandExecutionError', message: 'Command execution failed', details }] as const,
  ),
  [
    'no-entry',
    {
      type: 'CommandExecutionError',
      message: 'Command execution failed',
      details:
        "Could not configure UEFI boot on device /dev/vda: Unexpected error while running command.\nCommand: mount /dev/vda1 /tmp/tmp1/boot/efi\nExit code: 32\nStderr: 'unknown filesystem type vfat'",
    },
  ],
  // The root device is gone: nothing was looked for on it.
  [
    'failed',
    {
      type: 'DeviceNotFound',
      message: NOT_FOUND,
      details: "No suitable device was found for deployment using these hints {'name': 's== /dev/vda'}",
    },
  ],
] as const)('%s', (verdict, error) => {
  const command = readCommand({
    id: 'x',
    command_name: 'install_bootloader',
    command_status: error === null ? 'SUCCEEDED' : 'FAILED',
    command_error: error,
    command_result: null,
  });
  expect(readBootLoader(command!, ROOT)).toBe(verdict);
});

it.each([
  [
    "Command execution failed: x\nCommand: efibootmgr -v -c\nExit code: 5\nStdout: b''\nStderr: b'Could not prepare Boot variable: No space left on device\\n'",
    'Could not prepare Boot variable: No space left on device',
  ],
  ['Command: efibootmgr -v\nStderr: "EFI variables are not supported"', 'EFI variables are not supported'],
  ['[Errno 2] No such file or directory:\n efibootmgr', '[Errno 2] No such file or directory: efibootmgr'],
])('tells what efibootmgr said, out of %j', (message, said) => {
  expect(refusalOf(message)).toBe(said);
});

// As the agent prints the paths: it looks for each pattern anywhere, in capitals or not.
it.each([
  ['HD(1,GPT,8a1b,0x800,0x32000)/File(\\EFI\\BOOT\\BOOTX64.EFI)', true],
  ['PciRoot(0x0)/Pci(0x1d,0x0)/NVMe(0x1,00-00)/HD(1,GPT,8a1b,0x800,0x32000)/File(\\EFI\\x.efi)', true],
  ['VenHw(8a1b)/\\EFI\\ubuntu\\SHIMX64.EFI', true],
  ['PciRoot(0x0)/Pci(0x1,0x0)/MAC(525400000001,0)/IPv4(0.0.0.00.0.0.0,0,0)', false],
  ['PciRoot(0x0)/Pci(0x1,0x0)/MAC(525400000001,0)/Uri(http://192.0.2.1/boot.efi)', false],
  ['FvFile(8a1b)', false],
])('has removed what is or was on a disk: %s', (path, removed) => {
  expect(REMOVED_ENTRIES.some((pattern) => new RegExp(pattern, 'i').test(path))).toBe(removed);
});

it('knows the loader that firmware looks for', () => {
  expect(fallbackLoader('x86_64')).toBe('EFI/BOOT/BOOTX64.EFI');
  expect(fallbackLoader('aarch64')).toBe('EFI/BOOT/BOOTAA64.EFI');
});

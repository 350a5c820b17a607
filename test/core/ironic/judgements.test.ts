import { expect, test } from 'vitest';
import { blame } from '../../../core/ironic/blame.ts';
import { compareHardware } from '../../../core/ironic/compare.ts';
import { cleaningFor } from '../../../core/ironic/erase.ts';
import { guestPorts } from '../../../core/guest-network.ts';
import { configDrive, imageInfo } from '../../../core/ironic/instance.ts';
import { negotiate } from '../../../core/ironic/version.ts';

test.each([
  ['Timeout reached while waiting for callback for node 1', 'deploy-agent'],
  ['Validation of image href http://x/y.raw failed, reason: Got HTTP code 404', 'image-supply'],
  ['Image failed to verify against checksum. location: /x', 'image-supply'],
  ['Redfish exception occurred. Error: authentication failed', 'bmc'],
  ['Failed to change power state to power on', 'bmc'],
  ['No suitable device was found for deployment - root device hints were not provided', 'hardware'],
  ['Could not add provisioning network to node: Neutron said no', 'provisioning-network'],
  ["The deployment can't be resumed by conductor localhost.", 'ironic'],
  [null, 'ironic'],
])('%s is blamed on %s', (error, domain) => {
  expect(blame(error)).toBe(domain);
});

test('only hardware that pretends is cleaned without erasing, and says so', () => {
  const fake = { driver: 'fake-hardware', deploy: 'fake', bios: 'fake', vendor: 'fake' };
  expect(cleaningFor(fake, 'full').proof).toBe('none');
  expect(cleaningFor({ ...fake, bios: 'no-bios' }, 'full')).toEqual({
    steps: [{ interface: 'vendor', step: 'log_passthrough' }],
    proof: 'none',
  });
  const erase = (step: string) => [{ interface: 'deploy', step }];
  expect(cleaningFor({ ...fake, bios: 'no-bios', vendor: 'no-vendor' }, 'full').steps).toEqual(
    erase('erase_devices'),
  );
  expect(cleaningFor({ ...fake, deploy: 'direct' }, 'full')).toEqual({
    steps: erase('erase_devices'),
    proof: 'full',
  });
  expect(cleaningFor({ ...fake, driver: 'redfish' }, 'metadata')).toEqual({
    steps: erase('erase_devices_metadata'),
    proof: 'metadata',
  });
});

test('the version is pinned within what is offered', () => {
  const offered = { min: '1.1', max: '1.115' };
  expect(negotiate(offered)).toEqual({ ok: true, version: '1.95' });
  expect(negotiate({ min: '1.1', max: '1.82' })).toEqual({ ok: true, version: '1.82' });
  expect(negotiate(offered, '1.80')).toEqual({ ok: true, version: '1.80' });
  expect(negotiate(offered, '1.200')).toMatchObject({ ok: false });
  expect(negotiate({ min: '1.90', max: '1.99' }, '1.80')).toMatchObject({ ok: false });
  expect(negotiate({ min: '1.1', max: '1.40' })).toMatchObject({ ok: false });
  expect(negotiate({ min: '', max: '' })).toMatchObject({ ok: false });
});

test('hardware is compared where both sides speak, and gaps are named', () => {
  const expected = {
    cpus: 64,
    memoryMiB: 1024,
    gpus: { count: 8 },
    disks: [{ minBytes: 100, count: 2 }],
    macs: ['52:54:00:00:00:01'],
  };
  const silent = { cpus: undefined, memoryMiB: undefined, macs: undefined, disks: undefined };
  expect(compareHardware(expected, silent)).toEqual({
    differences: [],
    compared: [],
    skipped: ['cpus', 'memory', 'disks', 'ports', 'gpus'],
  });
  const found = { cpus: 32, memoryMiB: 2048, macs: ['52:54:00:00:00:02'], disks: [100, 99] };
  expect(compareHardware(expected, found)).toEqual({
    differences: [
      '32 CPUs, not 64',
      '1 disks of at least 100 bytes, not 2',
      'no network interface 52:54:00:00:00:01',
    ],
    compared: ['cpus', 'memory', 'disks', 'ports'],
    skipped: ['gpus'],
  });
});

test('image and guest, in the words of Ironic', () => {
  expect(imageInfo({ source: 'http://x/y', sha256: 'sha256:ab', format: 'qcow2' })).toEqual({
    image_source: 'http://x/y',
    image_os_hash_algo: 'sha256',
    image_os_hash_value: 'ab',
    image_disk_format: 'qcow2',
    image_type: 'whole-disk',
  });
  expect(configDrive({ hostname: 'h', sshKeys: ['ssh-a', 'ssh-b'] })).toEqual({
    meta_data: { name: 'h', hostname: 'h', public_keys: { 'key-0': 'ssh-a', 'key-1': 'ssh-b' } },
  });
  expect(configDrive({ hostname: 'h', sshKeys: [], userData: 'u' })).toMatchObject({ user_data: 'u' });
  const network = guestPorts([{ mac: '52:54:00:00:00:01', network: 'a', address: '10.0.0.9' }], {
    a: { cidr: '10.0.0.0/24' },
  });
  expect(configDrive({ hostname: 'h', sshKeys: [], network })).toMatchObject({
    network_data: { networks: [{ ip_address: '10.0.0.9' }] },
  });
});

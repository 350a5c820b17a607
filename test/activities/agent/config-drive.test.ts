import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { configDrive, configDriveIso } from '../../../activities/agent/config-drive.ts';
import { nodeUuid } from '../../../activities/agent/identity.ts';
import { guestPorts } from '../../../core/guest-network.ts';
import { isoFileBytes, readIso9660 } from '../../../core/iso9660.ts';

const unpacked = (text: string): Uint8Array => new Uint8Array(gunzipSync(Buffer.from(text, 'base64')));
const input = {
  uuid: nodeUuid('lab', 'n1'),
  hostname: 'tenant-7',
  publicKeys: ['ssh-ed25519 AAAA a', 'ssh-ed25519 BBBB b'],
  callback: 'http://g/firstboot/t',
};

it('carries metadata, keys, the callback and the user data', () => {
  const userData = Buffer.from('#!/bin/sh\necho "päss"\n');
  const iso = unpacked(configDrive({ ...input, userData }));
  expect(readIso9660(iso).label).toBe('config-2');
  expect(JSON.parse(Buffer.from(isoFileBytes(iso, 'openstack/latest/meta_data.json')!).toString())).toEqual({
    uuid: input.uuid,
    name: 'tenant-7',
    hostname: 'tenant-7',
    public_keys: { 'key-1': 'ssh-ed25519 AAAA a', 'key-2': 'ssh-ed25519 BBBB b' },
    meta: { rackwright_callback: 'http://g/firstboot/t' },
  });
  expect(Buffer.from(isoFileBytes(iso, 'openstack/latest/user_data')!).equals(userData)).toBe(true);
});

it('has no user data where none is given', () => {
  const { files } = readIso9660(unpacked(configDrive(input)));
  expect(files.map((file) => file.path)).toEqual(['openstack/latest/meta_data.json']);
});

it('names a node by a UUID that is always the same, and another one for another node', () => {
  expect(nodeUuid('lab', 'n1')).toBe(nodeUuid('lab', 'n1'));
  expect(nodeUuid('lab', 'n1')).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(new Set([nodeUuid('lab', 'n1'), nodeUuid('lab', 'n2'), nodeUuid('lab2', 'n1')]).size).toBe(3);
});

it('has the other form of cloud-init where the image reads that one', () => {
  const iso = unpacked(configDrive({ ...input, form: 'nocloud', userData: Buffer.from('#cloud-config\n') }));
  expect(readIso9660(iso).label).toBe('cidata');
  expect(JSON.parse(Buffer.from(isoFileBytes(iso, 'meta-data')!).toString())).toEqual({
    'instance-id': input.uuid,
    'local-hostname': 'tenant-7',
    'public-keys': ['ssh-ed25519 AAAA a', 'ssh-ed25519 BBBB b'],
    rackwright_callback: 'http://g/firstboot/t',
  });
  expect(Buffer.from(isoFileBytes(iso, 'user-data')!).toString()).toBe('#cloud-config\n');
  const { files } = readIso9660(unpacked(configDrive({ ...input, form: 'nocloud' })));
  expect(files.map((file) => [file.path, file.size > 0])).toEqual([
    ['meta-data', true],
    ['user-data', false],
  ]);
});

it('carries the network in the form of the drive', () => {
  const network = guestPorts([{ mac: '52:54:00:00:00:01', network: 'a', address: '10.0.0.9' }], {
    a: { cidr: '10.0.0.0/24' },
  });
  const read = (form: 'openstack' | 'nocloud', path: string): unknown =>
    JSON.parse(
      Buffer.from(isoFileBytes(unpacked(configDrive({ ...input, form, network })), path)!).toString(),
    );
  expect(read('openstack', 'openstack/latest/network_data.json')).toMatchObject({
    networks: [{ ip_address: '10.0.0.9' }],
  });
  expect(read('nocloud', 'network-config')).toMatchObject({ version: 2 });
});

it('refuses what the agent would not write, and says how large it is', () => {
  const fits = new Uint8Array(63 * 1024 * 1024);
  expect(configDriveIso({ ...input, userData: fits }).length).toBeGreaterThan(fits.length);
  expect(() => configDriveIso({ ...input, userData: new Uint8Array(64 * 1024 * 1024) })).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({
        code: 'CONFIG_DRIVE_TOO_LARGE',
        message: expect.stringContaining('64.0 of them user data'),
      }),
    }),
  );
});

import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { configDrive } from '../../../activities/agent/config-drive.ts';
import { nodeUuid } from '../../../activities/agent/identity.ts';
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

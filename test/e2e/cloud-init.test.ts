import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configDriveIso, type ConfigDriveInput } from '../../activities/agent/config-drive.ts';
import { configDrive } from '../../core/ironic/instance.ts';
import { guestPorts } from '../../core/guest-network.ts';
import { cloudInitReads, missingForCloudInit, type CloudInitView } from '../peers/cloud-init.ts';

/** The distribution's cloud-init reads our config drives, as xorriso takes them apart. */
const run = promisify(execFile);
const NETWORKS = {
  tenant: { cidr: '10.2.0.0/20', gateway: '10.2.0.1', dns: ['10.2.0.53'] },
  six: { cidr: 'fd00:2::/64', gateway: 'fd00:2::1' },
  other: { cidr: '10.3.0.0/24' },
};
const MACS = { '52:54:00:00:00:01': 'eth7', '52:54:00:00:00:02': 'eth8', '52:54:00:00:00:03': 'eth9' };
const network = guestPorts(
  [
    { mac: '52:54:00:00:00:01', network: 'tenant', address: '10.2.0.11' },
    { mac: '52:54:00:00:00:02', network: 'six', address: 'fd00:2::11' },
    { mac: '52:54:00:00:00:03', network: 'other' },
  ],
  NETWORKS,
);
const INPUT: ConfigDriveInput = {
  uuid: '11111111-2222-8333-8444-555555555555',
  hostname: 'tenant-7',
  publicKeys: ['ssh-ed25519 AAAA a', 'ssh-ed25519 BBBB b'],
  callback: 'http://10.0.0.1:8080/firstboot/t',
};
const USER_DATA = '#cloud-config\nruncmd: [ls]\n';
let dir: string;

beforeAll(async () => {
  const missing = await missingForCloudInit();
  if (missing.length > 0) throw new Error(`cloud-init needs: ${missing.join(', ')}`);
  dir = mkdtempSync(join(tmpdir(), 'rackwright-drive-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let drives = 0;
async function read(form: 'openstack' | 'nocloud', input: Partial<ConfigDriveInput>): Promise<CloudInitView> {
  const at = join(dir, String(++drives));
  writeFileSync(`${at}.iso`, configDriveIso({ ...INPUT, form, ...input }));
  await run('xorriso', ['-osirrox', 'on', '-indev', `${at}.iso`, '-extract', '/', at]);
  return cloudInitReads(form, at, MACS);
}

/** The lines of a unit, sorted: their order means nothing. */
const lines = (unit: string | undefined): string[] =>
  (unit ?? '')
    .split('\n')
    .filter((line) => line.includes('='))
    .sort();

describe.each(['openstack', 'nocloud'] as const)('%s', (form) => {
  it('tells who the guest is, who may log in, and the user data as it was given', async () => {
    const seen = await read(form, { userData: Buffer.from(USER_DATA) });
    expect(seen).toMatchObject({
      found: true,
      instance: INPUT.uuid,
      hostname: 'tenant-7',
      userdata: USER_DATA,
      units: null,
    });
    expect([...seen.keys].sort()).toEqual(INPUT.publicKeys);
    const callback =
      form === 'openstack'
        ? (seen.metadata['meta'] as { rackwright_callback?: string }).rackwright_callback
        : seen.metadata['rackwright_callback'];
    expect(callback).toBe(INPUT.callback);
  });

  it('is taken without user data, too', async () => {
    expect(await read(form, {})).toMatchObject({ found: true, hostname: 'tenant-7' });
  });

  it('brings the network up as the contract says', async () => {
    const { units } = await read(form, { network });
    expect(Object.keys(units ?? {}).sort()).toEqual(['eth7', 'eth8', 'eth9']);
    expect(lines(units?.['eth7'])).toEqual(
      expect.arrayContaining(['Address=10.2.0.11/20', 'DHCP=no', 'Gateway=10.2.0.1', 'Name=eth7']),
    );
    expect(lines(units?.['eth7']).filter((line) => line.startsWith('Gateway='))).toHaveLength(1);
    expect(lines(units?.['eth7']).filter((line) => line.startsWith('DNS='))).toEqual(['DNS=10.2.0.53']);
    expect(lines(units?.['eth8'])).toEqual(
      expect.arrayContaining(['Address=fd00:2::11/64', 'Gateway=fd00:2::1', 'Name=eth8']),
    );
    expect(lines(units?.['eth9'])).toEqual(expect.arrayContaining(['DHCP=ipv4', 'Name=eth9']));
  });
});

it('what Ironic makes a drive of says the same of the network', async () => {
  const json = configDrive({ hostname: 'tenant-7', sshKeys: [], network });
  const at = join(dir, 'ironic');
  writeFileSync(`${at}.json`, '');
  await run('mkdir', ['-p', join(at, 'openstack', 'latest')]);
  const metadata = { uuid: INPUT.uuid, ...(json['meta_data'] as object) };
  writeFileSync(join(at, 'openstack', 'latest', 'meta_data.json'), JSON.stringify(metadata));
  writeFileSync(join(at, 'openstack', 'latest', 'network_data.json'), JSON.stringify(json['network_data']));
  const { units } = await cloudInitReads('openstack', at, MACS);
  expect(lines(units?.['eth7'])).toContain('Address=10.2.0.11/20');
});

import { expect, it } from 'vitest';
import { findSystem } from '../../../../activities/redfish/service.ts';
import { failureOf } from '../fixtures.ts';
import { changed, inspected, NOTHING_ELSE, served, type Expected } from './inspecting.ts';
import { capture, describeCaptures } from './payloads.ts';
import type { Missing } from './server.ts';

const SYSTEM = '/redfish/v1/Systems/1';

const dimm = (id: number, slot: string, serialNumber: string): Expected['memory']['modules'][number] => ({
  uri: `${SYSTEM}/Memory/${id}`,
  type: 'DDR4',
  capacityMiB: 16_384,
  speedMHz: 2_133,
  manufacturer: 'Micron',
  partNumber: '36ASF2G72PZ-2G1B1',
  serialNumber,
  slot,
  health: 'OK',
});
/** Shown as disabled, at speed 0, while the machine runs. */
const port = (id: number, mac: string): Expected['nics'][number] => ({
  mac,
  repeated: false,
  name: String(id),
  speedMbps: null,
  linkUp: null,
  kind: null,
  role: 'port',
  sources: [`${SYSTEM}/EthernetInterfaces/${id}`],
});

/** X10SDV-TLN4F with an old, thin firmware: ten blanks for a serial number, no mode of the boot override. */
const X10: Expected = {
  system: {
    manufacturer: 'Supermicro',
    model: 'Super Server',
    serialNumber: null,
    uuid: '00000000-0000-0000-0000-020000100210',
    sku: null,
    partNumber: null,
    assetTag: null,
    hostName: null,
  },
  vendor: 'Supermicro',
  redfishVersion: '1.0.1',
  power: 'on',
  starting: false,
  health: 'OK',
  indicator: 'Off',
  bios: { version: '1.2' },
  boot: {
    mode: null,
    biosMode: null,
    overrideTarget: 'None',
    overrideEnabled: 'Disabled',
    order: [],
    secureBoot: null,
    disagreements: [],
  },
  trustedModules: [],
  cpus: {
    count: 1,
    model: 'Intel(R) Xeon(R) CPU D-1541 @ 2.10GHz',
    threads: 16,
    items: [
      {
        uri: `${SYSTEM}/Processors/1`,
        type: 'CPU',
        manufacturer: 'Intel',
        model: 'Intel(R) Xeon(R) CPU D-1541 @ 2.10GHz',
        architecture: 'x86-64',
        cores: 8,
        threads: 16,
        maxSpeedMHz: 4_000,
        serialNumber: null,
        health: 'OK',
      },
    ],
  },
  memory: {
    totalGiB: 64,
    modules: [
      dimm(1, 'DIMMA1', '16000001'),
      dimm(2, 'DIMMA2', '16000004'),
      dimm(3, 'DIMMB1', '16000002'),
      dimm(4, 'DIMMB2', '16000003'),
    ],
  },
  gpus: [],
  nics: [
    port(1, '02:00:00:10:02:10'),
    port(2, '02:00:00:10:02:11'),
    port(3, '02:00:00:10:03:10'),
    port(4, '02:00:00:10:03:11'),
  ],
  neighbours: [],
  macs: ['02:00:00:10:02:10', '02:00:00:10:02:11', '02:00:00:10:03:10', '02:00:00:10:03:11'],
  controllers: [],
  drives: [],
  // A collection of 0, without `Members`.
  virtualMedia: [],
  firmware: [],
  managers: [
    {
      uri: '/redfish/v1/Managers/1',
      type: 'BMC',
      model: 'ASPEED',
      firmware: '4.0',
      uuid: '00000000-0000-0000-0000-020000100110',
      health: 'OK',
    },
  ],
  chassis: [
    {
      uri: '/redfish/v1/Chassis/1',
      type: 'RackMount',
      manufacturer: 'Supermicro',
      model: null,
      serialNumber: null,
      assetTag: null,
    },
  ],
  unread: ['storage', 'update service'],
};

/** SYS-510T, Redfish 1.14.0: only the root and the system were captured. */
const X12: Expected = {
  system: {
    manufacturer: 'Supermicro',
    model: 'SYS-510T-MR-EI018',
    serialNumber: 'S000000X0000001',
    uuid: 'b1000000-6d10-11ec-8000-020000120210',
    sku: null,
    partNumber: 'SYS-510T-MR-EI018',
    assetTag: null,
    hostName: null,
  },
  vendor: 'Supermicro',
  redfishVersion: '1.14.0',
  power: 'on',
  starting: false,
  health: 'Critical',
  indicator: 'Off',
  bios: { version: '2.0' },
  boot: {
    mode: 'UEFI',
    biosMode: null,
    overrideTarget: 'Hdd',
    overrideEnabled: 'Continuous',
    order: [
      'Boot0003',
      'Boot0004',
      'Boot0005',
      'Boot0006',
      'Boot0007',
      'Boot0008',
      'Boot0009',
      'Boot000A',
      'Boot000B',
      'Boot0002',
    ],
    secureBoot: null,
    disagreements: [],
  },
  trustedModules: [],
  cpus: { count: 1, model: 'Intel(R) Xeon(R) processor', threads: null, items: [] },
  memory: { totalGiB: 64, modules: [] },
  ...NOTHING_ELSE,
  unread: [
    'BIOS',
    'boot options',
    'chassis',
    'ethernet interfaces',
    'managers',
    'memory',
    'network interfaces',
    'processors',
    'secure boot',
    'storage',
    'update service',
    'virtual media',
  ],
};

describeCaptures('captured Supermicro servers', () => {
  it.each<Missing>(['404', '500', 'page', 'error as success'])(
    'X10, what does not exist answered by %s',
    async (missing) => {
      const { found, server } = await inspected(capture('supermicro-x10'), missing);
      expect(found).toEqual(X10);
      expect(server.writes).toEqual([]);
    },
  );

  it.each<Missing>(['404', '500'])('X12, what was not captured answered by %s', async (missing) => {
    const { found, why } = await inspected(capture('supermicro-x12/redfish-1.14.0'), missing);
    expect(found).toEqual(X12);
    expect(why['secure boot']).toBe(`GET ${SYSTEM}/SecureBoot answered ${missing}`);
  });

  it('an older X12, of which only the root was captured: no system, where the BMC says so', async () => {
    const { bmc } = await served(capture('supermicro-x12/redfish-1.9.0'));
    expect(await failureOf(findSystem(bmc))).toMatchObject({ code: 'BMC_NO_SYSTEM' });
  });

  it('and its fault, where it has one', async () => {
    const { bmc } = await served(capture('supermicro-x12/redfish-1.9.0'), '500');
    const failure = await failureOf(findSystem(bmc));
    expect(failure.code).not.toBe('BMC_NO_SYSTEM');
    expect(failure.message).toContain('500');
  });

  it('reads the same by Basic as by a session', async () => {
    const { server, bmc } = await served(capture('supermicro-x10'), '404', 'basic');
    expect((await findSystem(bmc)).uri).toBe(SYSTEM);
    expect(server.writes).toEqual([]);
  });

  it('a module that cannot be read is named, and what it leaves is not summed up', async () => {
    const tree = new Map(changed(capture('supermicro-x10'), SYSTEM, { MemorySummary: undefined }));
    const summed = await inspected(tree);
    expect(summed.found.memory.totalGiB).toBe(64);
    tree.delete(`${SYSTEM}/Memory/3`);
    const { found } = await inspected(tree);
    expect(found.memory.totalGiB).toBeNull();
    expect(found.memory.modules.map(({ slot }) => slot)).toEqual(['DIMMA1', 'DIMMA2', 'DIMMB2']);
    expect(found.unread).toEqual(['memory', 'storage', 'update service']);
  });

  it('a MAC that two ports share, or a placeholder, is no identity', async () => {
    const nic = (id: number): string => `${SYSTEM}/EthernetInterfaces/${id}`;
    let tree = changed(capture('supermicro-x10'), nic(2), { MACAddress: '02:00:00:10:02:10' });
    tree = changed(tree, nic(3), { MACAddress: '00-00-00-00-00-00' });
    const { found } = await inspected(tree);
    expect(found.macs).toEqual(['02:00:00:10:03:11']);
    expect(found.nics.map(({ mac, repeated }) => [mac, repeated])).toEqual([
      ['02:00:00:10:02:10', true],
      ['02:00:00:10:03:11', false],
      [null, false],
    ]);
  });

  it('a collection that counts more than it lists is not read in full', async () => {
    const tree = changed(capture('supermicro-x10'), `${SYSTEM}/EthernetInterfaces`, {
      'Members@odata.count': 5,
    });
    const { found, why } = await inspected(tree);
    expect(found).toEqual({ ...X10, unread: ['ethernet interfaces', 'storage', 'update service'] });
    expect(why['ethernet interfaces']).toBe(`GET ${SYSTEM}/EthernetInterfaces counts 5 members and lists 4`);
  });
});

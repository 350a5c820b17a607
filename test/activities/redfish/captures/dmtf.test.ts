import { describe, expect, it } from 'vitest';
import { managersOf, findSystem } from '../../../../activities/redfish/service.ts';
import { listMedia } from '../../../../activities/redfish/media-drives.ts';
import { failureOf } from '../fixtures.ts';
import { changed, inspected, served, type Expected } from './inspecting.ts';
import { describeCaptures, mockup, type Tree } from './payloads.ts';

const RACK = '/redfish/v1/Systems/437XR1138R2';
const link = (uri: string): { '@odata.id': string } => ({ '@odata.id': uri });

const rackDimm = (id: number): Expected['memory']['modules'][number] => ({
  uri: `${RACK}/Memory/DIMM${id}`,
  type: 'DDR4',
  capacityMiB: 32_768,
  speedMHz: null,
  manufacturer: null,
  partNumber: null,
  serialNumber: null,
  slot: `DIMM ${id}`,
  health: 'OK',
});
const bay = (
  uri: string,
  number: number,
  over: { model: string; sizeBytes: number | null; health: 'OK' | 'Warning' },
): Expected['drives'][number] => ({
  uri: `${uri}#/Devices/${number - 1}`,
  name: `SATA Bay ${number}`,
  manufacturer: 'Contoso',
  serialNumber: null,
  mediaType: null,
  protocol: null,
  firmware: null,
  wwn: null,
  controller: 'Simple Storage Controller',
  predictedLifeLeftPercent: null,
  ...over,
});
const simpleStorage = (uri: string, health: 'OK' | 'Warning'): Expected['controllers'][number] => ({
  uri,
  name: 'Simple Storage Controller',
  manufacturer: null,
  model: null,
  firmware: null,
  health,
});
const firmware = (id: string, name: string, version: string): Expected['firmware'][number] => ({
  id,
  name: `Contoso ${name} Firmware`,
  version,
  updateable: true,
});

/** One server: a socket, a DIMM slot and two bays are empty; a VLAN bears the MAC of the port that it is on. */
const RACKMOUNT: Expected = {
  system: {
    manufacturer: 'Contoso',
    model: '3500',
    serialNumber: '437XR1138R2',
    uuid: '38947555-7742-3448-3784-823347823834',
    sku: '8675309',
    partNumber: '224071-J23',
    assetTag: 'Chicago-45Z-2381',
    hostName: 'web483',
  },
  vendor: 'Contoso',
  redfishVersion: '1.15.0',
  power: 'on',
  starting: false,
  health: 'Warning',
  indicator: 'Off',
  bios: { version: 'P79 v1.45 (12/06/2017)' },
  boot: {
    mode: 'UEFI',
    biosMode: 'UEFI',
    overrideTarget: 'Pxe',
    overrideEnabled: 'Once',
    order: [],
    secureBoot: { enabled: false, current: false, mode: 'UserMode', bios: null },
    disagreements: [],
  },
  trustedModules: [{ type: 'TPM1_2', firmware: '1.13b', state: 'Enabled' }],
  // The summary counts 2: sockets. The second is empty, and an FPGA is no CPU.
  cpus: {
    count: 1,
    model: 'Multi-Core Intel(R) Xeon(R) processor 7xxx Series',
    threads: 16,
    items: [
      {
        uri: `${RACK}/Processors/CPU1`,
        type: 'CPU',
        manufacturer: 'Intel(R) Corporation',
        model: 'Multi-Core Intel(R) Xeon(R) processor 7xxx Series',
        architecture: 'x86-64',
        cores: 8,
        threads: 16,
        maxSpeedMHz: 3_700,
        serialNumber: null,
        health: 'Warning',
      },
    ],
  },
  memory: { totalGiB: 96, modules: [rackDimm(1), rackDimm(2), rackDimm(3)] },
  // Its graphics controller drives a display.
  // It is shown among the graphics controllers of the system, and nowhere else.
  gpus: [
    {
      uri: `${RACK}/GraphicsControllers/GPU1`,
      manufacturer: 'Contoso',
      model: 'GPU1',
      serialNumber: '2M220100SL',
      uuid: null,
      memoryMiB: null,
      firmware: null,
      health: 'OK',
    },
  ],
  nics: [
    {
      mac: '12:44:6a:3b:04:11',
      repeated: false,
      name: '12446A3B0411',
      speedMbps: 1_000,
      linkUp: true,
      kind: 'Physical',
      role: 'port',
      sources: [`${RACK}/EthernetInterfaces/12446A3B0411`, `${RACK}/EthernetInterfaces/VLAN1`],
    },
    {
      // What it answers to now, AA:BB:CC:DD:EE:00, may be gone with the next boot.
      mac: '12:44:6a:3b:88:90',
      repeated: false,
      name: '12446A3B8890',
      speedMbps: 1_000,
      linkUp: true,
      kind: 'Physical',
      role: 'port',
      sources: [`${RACK}/EthernetInterfaces/12446A3B8890`],
    },
    {
      mac: 'aa:bb:cc:dd:ee:fe',
      repeated: false,
      name: 'ToManager',
      speedMbps: 100,
      linkUp: null,
      kind: null,
      role: 'bmc-link',
      sources: [`${RACK}/EthernetInterfaces/ToManager`],
    },
  ],
  neighbours: [],
  macs: ['12:44:6a:3b:04:11', '12:44:6a:3b:88:90'],
  controllers: [simpleStorage(`${RACK}/SimpleStorage/1`, 'Warning')],
  drives: [
    bay(`${RACK}/SimpleStorage/1`, 1, { model: '3000GT8', sizeBytes: 8_000_000_000_000, health: 'OK' }),
    bay(`${RACK}/SimpleStorage/1`, 2, { model: '3000GT7', sizeBytes: 4_000_000_000_000, health: 'Warning' }),
  ],
  virtualMedia: [
    {
      uri: `${RACK}/VirtualMedia/Floppy1`,
      mediaTypes: ['Floppy', 'USBStick'],
      occupied: true,
      insertable: false,
    },
    { uri: `${RACK}/VirtualMedia/CD1`, mediaTypes: ['CD', 'DVD'], occupied: true, insertable: false },
    // Said to be inserted, and not connected.
    { uri: `${RACK}/VirtualMedia/CD2`, mediaTypes: ['CD', 'DVD'], occupied: false, insertable: false },
  ],
  firmware: [
    firmware('BMC', 'BMC', '1.45.455b66-rev4'),
    firmware('SS', 'Simple Storage', '2.50'),
    firmware('BIOS', 'BIOS', 'P79 v1.45'),
  ],
  managers: [
    {
      uri: '/redfish/v1/Managers/BMC',
      type: 'BMC',
      model: 'Joo Janta 200',
      firmware: '1.45.455b66-rev4',
      uuid: '58893887-8974-2487-2389-841168418919',
      health: 'OK',
    },
  ],
  chassis: [
    {
      uri: '/redfish/v1/Chassis/1U',
      type: 'RackMount',
      manufacturer: 'Contoso',
      model: '3500RX',
      serialNumber: '437XR1138R2',
      assetTag: 'Portland-45Z-2381',
    },
  ],
  unread: [],
};

/** The third of four blades: only its own chassis and its own manager are its. */
const BLADE = '/redfish/v1/Systems/529QB9452R6';
const BLADE3: Expected = {
  system: {
    manufacturer: 'Contoso',
    model: 'SX1000',
    serialNumber: '529QB9452R6',
    uuid: null,
    sku: '6914260',
    partNumber: '166480-S23',
    assetTag: null,
    hostName: null,
  },
  vendor: 'Contoso',
  redfishVersion: '1.15.0',
  power: 'on',
  starting: false,
  health: 'OK',
  indicator: 'Off',
  bios: { version: 'P86 v1.58 (10/15/2015)' },
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
    model: 'Multi-Core Intel(R) Xeon(R) processor E5-1603',
    threads: 8,
    items: [
      {
        uri: `${BLADE}/Processors/CPU`,
        type: 'CPU',
        manufacturer: 'Intel(R) Corporation',
        model: 'Multi-Core Intel(R) Xeon(R) processor E5-1603',
        architecture: 'x86-64',
        cores: 4,
        threads: 8,
        maxSpeedMHz: 2_800,
        serialNumber: null,
        health: 'OK',
      },
    ],
  },
  memory: { totalGiB: 64, modules: [] },
  gpus: [],
  nics: [],
  neighbours: [],
  macs: [],
  controllers: [simpleStorage(`${BLADE}/SimpleStorage/1`, 'OK')],
  drives: [1, 2].map((number) =>
    bay(`${BLADE}/SimpleStorage/1`, number, { model: '3000GT8', sizeBytes: null, health: 'OK' }),
  ),
  virtualMedia: [],
  firmware: [],
  managers: [
    {
      uri: '/redfish/v1/Managers/Blade3BMC',
      type: 'BMC',
      model: null,
      firmware: '1.00',
      uuid: null,
      health: 'OK',
    },
  ],
  chassis: [
    {
      uri: '/redfish/v1/Chassis/Blade3',
      type: 'Blade',
      manufacturer: 'Contoso',
      model: 'SX1000',
      serialNumber: '529QB9452R6',
      assetTag: null,
    },
  ],
  unread: [],
};

describeCaptures('mockups of the DMTF', () => {
  describe('a rack server', () => {
    it('as it is', async () => {
      const { found, server } = await inspected(mockup('public-rackmount1'));
      expect(found).toEqual(RACKMOUNT);
      expect(server.writes).toEqual([]);
    });

    it('whose TPM is among the trusted components of its chassis only', async () => {
      const tree = changed(mockup('public-rackmount1'), RACK, { TrustedModules: undefined });
      const { found } = await inspected(tree);
      expect(found).toEqual({
        ...RACKMOUNT,
        trustedModules: [{ type: 'TPM', firmware: null, state: 'Enabled' }],
      });
    });

    it('whose VLAN is listed before its port, which a boot option and an adapter show as well', async () => {
      const options = `${RACK}/BootOptions`;
      const adapter = '/redfish/v1/Chassis/1U/NetworkAdapters/1';
      const nics = `${RACK}/EthernetInterfaces`;
      let tree: Tree = new Map<string, unknown>([
        ...mockup('public-rackmount1'),
        [options, { Members: [1, 2, 3].map((id) => link(`${options}/${id}`)) }],
        [`${options}/1`, { UefiDevicePath: 'PciRoot(0x0)/Pci(0x2,0x0)/MAC(12446A3B0411,0x1)/IPv4(0.0.0.0)' }],
        [`${options}/2`, { UefiDevicePath: 'PciRoot(0x0)/Pci(0x2,0x0)/MAC(12446A3B0411,0x1)/IPv6(::)' }],
        [`${options}/3`, { UefiDevicePath: 'PciRoot(0x0)/Pci(0x3,0x0)/MAC(12446A3B9999,0x1)' }],
        [`${RACK}/NetworkInterfaces`, { Members: [link(`${RACK}/NetworkInterfaces/1`)] }],
        [`${RACK}/NetworkInterfaces/1`, { Links: { NetworkAdapter: link(adapter) } }],
        [adapter, { Ports: link(`${adapter}/Ports`) }],
        [`${adapter}/Ports`, { Members: [link(`${adapter}/Ports/1`)] }],
        [
          `${adapter}/Ports/1`,
          { Id: '1', Ethernet: { AssociatedMACAddresses: ['12-44-6a-3b-88-90', '12:44:6A:3B:77:77'] } },
        ],
      ]);
      tree = changed(tree, nics, {
        Members: ['VLAN1', 'ToManager', '12446A3B8890', '12446A3B0411'].map((id) => link(`${nics}/${id}`)),
      });
      const { Boot } = tree.get(RACK) as { Boot: object };
      tree = changed(tree, RACK, {
        Boot: { ...Boot, BootOptions: link(options) },
        NetworkInterfaces: link(`${RACK}/NetworkInterfaces`),
      });
      const { found } = await inspected(tree);
      expect(found.macs).toEqual([
        '12:44:6a:3b:04:11',
        '12:44:6a:3b:77:77',
        '12:44:6a:3b:88:90',
        '12:44:6a:3b:99:99',
      ]);
      expect(found.nics.find(({ mac }) => mac === '12:44:6a:3b:04:11')).toMatchObject({
        name: '12446A3B0411',
        kind: 'Physical',
        role: 'port',
        sources: [`${nics}/12446A3B0411`, `${options}/1`, `${options}/2`, `${nics}/VLAN1`],
      });
    });

    it('whose drives are shown, images without a scheme and on the BMC itself among them', async () => {
      const { bmc } = await served(mockup('public-rackmount1'));
      const slots = await listMedia(bmc, await findSystem(bmc));
      expect(
        slots.map(({ uri, under, image, inserted, connected }) => [uri, under, image, inserted, connected]),
      ).toEqual([
        [`${RACK}/VirtualMedia/Floppy1`, 'system', 'https://www.dmtf.org/freeImages/Sardine.img', true, true],
        [`${RACK}/VirtualMedia/CD1`, 'system', 'redfish.dmtf.org/freeImages/freeOS.1.1.iso', true, true],
        [`${RACK}/VirtualMedia/CD2`, 'system', '/redfish/v1/UpdateService/LocalImageStore/49', true, false],
      ]);
    });
  });

  describe('four blades behind one service', () => {
    it.each([BLADE, '529QB9452R6', '529qb9452r6'])('the one that the contract names: %s', async (system) => {
      const { found, server } = await inspected(mockup('public-bladed'), '404', system);
      expect(found).toEqual(BLADE3);
      // Of the other blades nothing was read but, to find this one by its Id, who they are.
      expect(server.reads.filter((path) => /Blade[124]|529QB945[013]R6\//.test(path))).toEqual([]);
    });

    it.each([
      [undefined, '4 systems: '],
      ['Bladed System', '4 systems whose Name is Bladed System: '],
    ])('never one of several: %s', async (system, words) => {
      const { bmc } = await served(mockup('public-bladed'));
      const failure = await failureOf(findSystem(bmc, system));
      expect(failure.code).toBe('BMC_AMBIGUOUS_SYSTEM');
      expect(failure.message).toContain(words);
      for (const id of ['0', '1', '2', '3'])
        expect(failure.message).toContain(`/redfish/v1/Systems/529QB945${id}R6`);
    });

    it('a manager without a server is not the manager of a blade that another one names', async () => {
      const { Links } = mockup('public-bladed').get(BLADE) as { Links: object };
      const tree = changed(mockup('public-bladed'), BLADE, { Links: { ...Links, ManagedBy: undefined } });
      expect((await inspected(tree, '404', BLADE)).found).toEqual(BLADE3);
      const { bmc } = await served(tree);
      expect(await managersOf(bmc, await findSystem(bmc, BLADE))).toEqual(['/redfish/v1/Managers/Blade3BMC']);
    });
  });
});

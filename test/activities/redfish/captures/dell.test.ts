import { expect, it } from 'vitest';
import { changed, inspected, NOTHING_ELSE, type Expected } from './inspecting.ts';
import { capture, describeCaptures } from './payloads.ts';
import type { Missing } from './server.ts';

const SYSTEM = '/redfish/v1/Systems/System.Embedded.1';
/** PowerEdge R6515, iDRAC9: only the system itself, its BIOS and its secure boot were captured. */
const R6515: Expected = {
  ...NOTHING_ELSE,
  system: {
    manufacturer: 'Dell Inc.',
    model: 'PowerEdge R6515',
    serialNumber: 'CN0000000000S1',
    uuid: '4c4c4544-0054-5310-8054-b0c04f303031',
    sku: 'TST0001',
    partNumber: 'FOOCNNA00',
    assetTag: null,
    hostName: null,
  },
  vendor: 'Dell',
  redfishVersion: '1.9.0',
  power: 'on',
  starting: false,
  health: 'OK',
  indicator: 'Lit',
  bios: { version: '2.2.4' },
  boot: {
    mode: 'Legacy',
    biosMode: 'Legacy',
    overrideTarget: 'None',
    overrideEnabled: 'Disabled',
    order: ['NIC.Slot.3-1-1', 'HardDisk.List.1-1'],
    secureBoot: { enabled: true, current: false, mode: 'SetupMode', bios: false },
    disagreements: [
      'secure boot: enabled set, disabled of the running system, disabled by the BIOS',
      'secure boot is enabled, and the boot mode is Legacy',
    ],
  },
  trustedModules: [{ type: 'TPM2_0', firmware: '1.3.1.0', state: 'Enabled' }],
  // No processor was captured: the summary has 48 logical ones.
  cpus: { count: 1, model: 'AMD EPYC 7402P 24-Core Processor', threads: 48, items: [] },
  memory: { totalGiB: 64, modules: [] },
  unread: [
    'PCIe devices',
    'boot options',
    'chassis',
    'ethernet interfaces',
    'managers',
    'memory',
    'network interfaces',
    'processors',
    'simple storage',
    'storage',
    'update service',
  ],
};

/** A server with iDRAC 17G: two virtual drives under the system, and none under the manager. */
const IDRAC10: Expected = {
  ...NOTHING_ELSE,
  system: {
    manufacturer: 'Dell Inc.',
    model: 'PowerEdge R660',
    serialNumber: null,
    uuid: null,
    sku: null,
    partNumber: null,
    assetTag: null,
    hostName: null,
  },
  vendor: 'Dell',
  redfishVersion: '1.9.0',
  power: 'off',
  starting: false,
  health: 'OK',
  indicator: null,
  bios: { version: null },
  boot: {
    mode: 'Legacy',
    biosMode: null,
    overrideTarget: 'None',
    overrideEnabled: 'Disabled',
    order: [],
    secureBoot: null,
    disagreements: [],
  },
  trustedModules: [],
  cpus: { count: null, model: null, threads: null, items: [] },
  memory: { totalGiB: null, modules: [] },
  virtualMedia: ['2', '1'].map((id) => ({
    uri: `${SYSTEM}/VirtualMedia/${id}`,
    mediaTypes: ['CD', 'DVD', 'USBStick'],
    occupied: false,
    insertable: true,
  })),
  managers: [
    {
      uri: '/redfish/v1/Managers/iDRAC.Embedded.1',
      type: 'BMC',
      model: '17G Monolithic',
      firmware: '1.20.50.52',
      uuid: null,
      health: 'OK',
    },
  ],
  unread: ['chassis', 'update service'],
};

describeCaptures('captured Dell servers', () => {
  it.each<[Missing, RegExp]>([
    ['404', / answered 404/],
    ['500', / answered 500/],
    ['page', / answered 200 without a resource/],
    ['error as success', / answered 200 without a resource/],
  ])('R6515, what was not captured answered by %s', async (missing, why) => {
    const seen = await inspected(capture('dell-idrac9-r6515'), missing);
    expect(seen.found).toEqual(R6515);
    for (const each of Object.values(seen.why)) expect(each).toMatch(why);
    expect(seen.why['PCIe devices']).toMatch(/PCIeDevices\/\d+-\d+ answered .*, and 31 more$/);
    expect(seen.server.writes).toEqual([]);
  });

  it('iDRAC10', async () => {
    const { found, server } = await inspected(capture('dell-idrac10'));
    expect(found).toEqual(IDRAC10);
    expect(server.writes).toEqual([]);
  });

  it('a link of the manager to the same drives adds none', async () => {
    const manager = '/redfish/v1/Managers/iDRAC.Embedded.1';
    const tree = changed(capture('dell-idrac10'), manager, {
      VirtualMedia: { '@odata.id': `${SYSTEM}/VirtualMedia/` },
    });
    expect((await inspected(tree)).found).toEqual(IDRAC10);
  });

  it('one drive that cannot be read sinks neither the other nor the rest', async () => {
    const tree = new Map(capture('dell-idrac10'));
    tree.delete(`${SYSTEM}/VirtualMedia/2`);
    const { found } = await inspected(tree, 'page');
    expect(found).toEqual({
      ...IDRAC10,
      virtualMedia: [IDRAC10.virtualMedia[1]],
      unread: ['chassis', 'update service', 'virtual media'],
    });
  });

  it('finds the managers from their side where the system does not name them', async () => {
    const tree = changed(capture('dell-idrac10'), SYSTEM, { Links: {} });
    const { found } = await inspected(tree);
    expect(found).toEqual({ ...IDRAC10, unread: ['update service'] });
  });
});

import { describe, expect, it } from 'vitest';
import { inspectSystem } from '../../../activities/redfish/inspect.ts';
import { findSystem } from '../../../activities/redfish/service.ts';
import { failureOf, opened } from './fixtures.ts';
import { SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

const at = (uri: string): { '@odata.id': string } => ({ '@odata.id': uri });
const CHASSIS = '/redfish/v1/Chassis/1';

/** A GPU server as a lenient reader meets it: things missing, "N/A", an empty socket, a MAC in two places. */
function furnish(server: ScriptedBmc): void {
  server.patch(SYSTEM, {
    Manufacturer: 'Contoso',
    Model: 'DGX-ish',
    SerialNumber: 'S1',
    UUID: '38947555-7742-3448-3784-823347823834',
    SKU: 'N/A',
    BiosVersion: '1.2.3',
    PowerState: 'On',
    IndicatorLED: 'Off',
    Status: { Health: 'OK', HealthRollup: 'Warning' },
    MemorySummary: { TotalSystemMemoryGiB: 'N/A' },
    TrustedModules: [{ InterfaceType: 'TPM2_0', FirmwareVersion: '7.2', Status: { State: 'Enabled' } }],
    Processors: at(`${SYSTEM}/Processors`),
    Memory: at(`${SYSTEM}/Memory`),
    EthernetInterfaces: at(`${SYSTEM}/EthernetInterfaces`),
    Storage: at(`${SYSTEM}/Storage`),
    SecureBoot: at(`${SYSTEM}/SecureBoot`),
    Links: { ManagedBy: [at('/redfish/v1/Managers/1')], Chassis: [at(CHASSIS)] },
  });
  server.put(`${SYSTEM}/SecureBoot`, {
    SecureBootEnable: true,
    SecureBootCurrentBoot: 'Disabled',
    SecureBootMode: 'UserMode',
  });
  server.collect(
    `${SYSTEM}/Processors`,
    ['CPU0', 'CPU1', 'GPU0'].map((id) => `${SYSTEM}/Processors/${id}`),
  );
  server.put(`${SYSTEM}/Processors/CPU0`, {
    ProcessorType: 'CPU',
    Model: 'Xeon',
    TotalCores: 48,
    TotalThreads: 'N/A',
  });
  server.put(`${SYSTEM}/Processors/CPU1`, { ProcessorType: 'CPU', Status: { State: 'Absent' } });
  server.put(`${SYSTEM}/Processors/GPU0`, {
    ProcessorType: 'GPU',
    Model: 'H100 80GB',
    MemorySummary: { TotalMemorySizeMiB: 81920 },
  });
  server.collect(`${SYSTEM}/Memory`, [`${SYSTEM}/Memory/A1`]);
  server.put(`${SYSTEM}/Memory/A1`, {
    CapacityMiB: 65536,
    MemoryDeviceType: 'DDR5',
    OperatingSpeedMhz: 4800,
  });
  server.collect(
    `${SYSTEM}/EthernetInterfaces`,
    ['1', '2', '3'].map((id) => `${SYSTEM}/EthernetInterfaces/${id}`),
  );
  server.put(`${SYSTEM}/EthernetInterfaces/1`, {
    Id: '1',
    MACAddress: 'AA-BB-CC-00-00-01',
    LinkStatus: 'LinkUp',
  });
  server.put(`${SYSTEM}/EthernetInterfaces/2`, { Id: '2', MACAddress: '' });
  server.put(`${SYSTEM}/EthernetInterfaces/3`, { Id: '3', MACAddress: null });
  server.put(CHASSIS, { NetworkAdapters: at(`${CHASSIS}/NetworkAdapters`), SerialNumber: 'C1' });
  server.collect(`${CHASSIS}/NetworkAdapters`, [
    `${CHASSIS}/NetworkAdapters/NIC1`,
    `${CHASSIS}/NetworkAdapters/Broken`,
  ]);
  server.put(`${CHASSIS}/NetworkAdapters/NIC1`, {
    NetworkDeviceFunctions: at(`${CHASSIS}/NIC1/Functions`),
    Ports: at(`${CHASSIS}/NIC1/Ports`),
  });
  server.collect(`${CHASSIS}/NIC1/Functions`, [`${CHASSIS}/NIC1/Functions/1`, `${CHASSIS}/NIC1/Functions/2`]);
  server.put(`${CHASSIS}/NIC1/Functions/1`, { Ethernet: { MACAddress: 'aa:bb:cc:00:00:01' } });
  server.put(`${CHASSIS}/NIC1/Functions/2`, { Ethernet: { MACAddress: 'aa:bb:cc:00:00:02' } });
  server.collect(`${CHASSIS}/NIC1/Ports`, [`${CHASSIS}/NIC1/Ports/1`]);
  server.put(`${CHASSIS}/NIC1/Ports/1`, {
    CurrentSpeedGbps: 200,
    LinkStatus: 'Up',
    Ethernet: { AssociatedMACAddresses: ['AA:BB:CC:00:00:02'] },
  });
  server.collect(`${SYSTEM}/Storage`, [`${SYSTEM}/Storage/1`]);
  server.put(`${SYSTEM}/Storage/1`, {
    Name: 'NVMe',
    Drives: [at(`${SYSTEM}/Storage/1/Drives/0`), at('/nowhere')],
  });
  server.put(`${SYSTEM}/Storage/1/Drives/0`, {
    Model: 'PM9A3',
    CapacityBytes: 3840755982336,
    Identifiers: [{ DurableNameFormat: 'EUI', DurableName: 'EUI.3634' }],
    PredictedMediaLifeLeftPercent: 99,
  });
  server.put('/redfish/v1/', {
    RedfishVersion: '1.15.0',
    Vendor: 'NVIDIA',
    Systems: at('/redfish/v1/Systems'),
    SessionService: at('/redfish/v1/SessionService'),
    UpdateService: at('/redfish/v1/UpdateService'),
  });
  server.put('/redfish/v1/UpdateService', {
    FirmwareInventory: at('/redfish/v1/UpdateService/FirmwareInventory'),
  });
  server.collect('/redfish/v1/UpdateService/FirmwareInventory', [
    '/redfish/v1/UpdateService/FirmwareInventory/BMC',
  ]);
  server.put('/redfish/v1/UpdateService/FirmwareInventory/BMC', {
    Id: 'BMC',
    Name: 'BMC',
    Version: '24.01',
    Updateable: true,
  });
  server.put('/redfish/v1/Managers/1', { ManagerType: 'BMC', FirmwareVersion: '24.01' });
}

describe('inspection', () => {
  it('reads a lenient picture of a GPU server', async () => {
    const { server, bmc } = await opened();
    furnish(server);
    const found = await inspectSystem(bmc, await findSystem(bmc));
    expect(found).toMatchObject({
      vendor: 'NVIDIA',
      redfishVersion: '1.15.0',
      power: 'on',
      health: 'Warning',
      indicator: 'Off',
      system: { manufacturer: 'Contoso', model: 'DGX-ish', serialNumber: 'S1', sku: null },
      bios: { version: '1.2.3' },
      boot: { mode: 'UEFI', secureBoot: { enabled: true, current: false, mode: 'UserMode' } },
      trustedModules: [{ type: 'TPM2_0', firmware: '7.2', state: 'Enabled' }],
      cpus: { count: 1, model: 'Xeon', items: [{ cores: 48, threads: null }] },
      memory: { totalGiB: 64, modules: [{ capacityMiB: 65536, type: 'DDR5' }] },
      gpus: [{ model: 'H100 80GB', memoryMiB: 81920 }],
      macs: ['aa:bb:cc:00:00:01', 'aa:bb:cc:00:00:02'],
      drives: [{ model: 'PM9A3', sizeBytes: 3840755982336, wwn: 'eui.3634', controller: 'NVMe' }],
      firmware: [{ id: 'BMC', version: '24.01', updateable: true }],
      managers: [{ type: 'BMC', firmware: '24.01' }],
      chassis: [{ serialNumber: 'C1', type: null }],
    });
    expect(found.nics.find((n) => n.mac === 'aa:bb:cc:00:00:02')).toMatchObject({
      speedMbps: 200_000,
      linkUp: true,
    });
    expect(found.unread.map((u) => u.part).sort()).toEqual(['drives', 'network adapters']);
  });

  it('finds the GPUs of a baseboard that is a system of its own', async () => {
    const { server, bmc } = await opened();
    const board = '/redfish/v1/Systems/HGX_Baseboard_0';
    server.collect('/redfish/v1/Systems', [SYSTEM, board, '/redfish/v1/Systems/Other']);
    server.put(board, { Processors: at(`${board}/Processors`) });
    server.collect(`${board}/Processors`, [`${board}/Processors/GPU_SXM_1`, `${board}/Processors/FPGA_0`]);
    server.put(`${board}/Processors/GPU_SXM_1`, { ProcessorType: 'GPU', Model: 'H100', UUID: 'AB-1' });
    server.put(`${board}/Processors/FPGA_0`, { ProcessorType: 'FPGA' });
    const found = await inspectSystem(bmc, await findSystem(bmc, SYSTEM));
    expect(found.gpus).toMatchObject([{ model: 'H100', uuid: 'ab-1' }]);
    expect(server.asked('GET', '/redfish/v1/Systems/Other')).toHaveLength(0);
  });

  it('stays within its number of requests, and says what it left out', async () => {
    const { server, bmc } = await opened();
    furnish(server);
    const system = await findSystem(bmc);
    const found = await inspectSystem(bmc, system, { maxRequests: 5 });
    expect(found.requests).toBe(5);
    expect(found.unread.length).toBeGreaterThan(0);
  });

  it('stays within its time', async () => {
    const { server, bmc } = await opened();
    furnish(server);
    const system = await findSystem(bmc);
    server.on('GET', `${SYSTEM}/Memory`, () => undefined);
    const before = Date.now();
    const found = await inspectSystem(bmc, system, { deadlineMs: 300 });
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(found.unread.map((u) => u.part)).toContain('memory');
    expect(found.system.serialNumber).toBe('S1');
  });

  it('throws when the BMC is lost altogether', async () => {
    const { server, bmc } = await opened();
    furnish(server);
    const system = await findSystem(bmc);
    server.on('GET', '*', (_call, res) => void res.destroy());
    expect((await failureOf(inspectSystem(bmc, system))).code).toBe('BMC_CONNECTION_LOST');
  });
});

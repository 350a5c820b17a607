import type { Server } from '../server.ts';
import { collection, link, OK, resource, ROOT, isoTime, type Resource, type Tree } from './services.ts';
import { bootOrder, firmwareTree, trustedModules } from './firmware.ts';
import { logTree } from './event-log.ts';
import { hostInterfaceTree } from './host-interface.ts';
import { adapterTree } from './network-adapters.ts';
import { mediaTree } from './virtual-media.ts';

const SYSTEM = `${ROOT}/Systems/1`;
const MANAGER = `${ROOT}/Managers/1`;
const CHASSIS = `${ROOT}/Chassis/1`;

export const RESET_TYPES = [
  'On',
  'ForceOn',
  'ForceOff',
  'GracefulShutdown',
  'GracefulRestart',
  'ForceRestart',
  'PowerCycle',
] as const;
export const BOOT_TARGETS = ['None', 'Pxe', 'Hdd', 'Cd', 'Usb'] as const;

const chassisLinks = { ManagedBy: [link(MANAGER)], Chassis: [link(CHASSIS)] };

/** The server, its parts, and the manager and chassis around it. */
export function systemTree(server: Server): Tree {
  const { parts: hardware, state } = server;
  const members = <T>(
    path: string,
    type: string,
    items: readonly T[],
    id: (item: T, i: number) => string,
    body: (item: T, path: string) => Resource,
  ): Tree => ({
    [path]: () => collection(path, type, items.map(id)),
    ...Object.fromEntries(
      items.map((item, i) => [`${path}/${id(item, i)}`, () => body(item, `${path}/${id(item, i)}`)]),
    ),
  });
  const processors = [
    ...Array.from({ length: hardware.sockets }, (_, i) => ({ id: `CPU${i}`, gpu: undefined })),
    ...hardware.gpus.map((gpu, i) => ({ id: `GPU${i}`, gpu })),
  ];
  const modules = Array.from({ length: 16 }, (_, i) => i);
  const drives = `${SYSTEM}/Storage/NVMe/Drives`;
  const cpuThreads = hardware.threads / hardware.sockets;

  return {
    [`${ROOT}/Systems`]: () => collection(`${ROOT}/Systems`, 'ComputerSystem', ['1']),
    [SYSTEM]: () => computerSystem(server),
    ...settingsTree(server),
    ...firmwareTree(server, SYSTEM),
    ...members(
      `${SYSTEM}/EthernetInterfaces`,
      'EthernetInterface',
      hardware.nics,
      (nic) => nic.name,
      (nic, path) =>
        resource(path, 'EthernetInterface.v1_9_0.EthernetInterface', `Ethernet ${nic.name}`, {
          MACAddress: nic.mac,
          PermanentMACAddress: nic.mac,
          SpeedMbps: 400_000,
          LinkStatus: state.power === 'On' ? 'LinkUp' : 'NoLink',
          InterfaceEnabled: true,
          Status: OK,
        }),
    ),
    [`${SYSTEM}/Storage`]: () => collection(`${SYSTEM}/Storage`, 'Storage', ['NVMe']),
    [`${SYSTEM}/Storage/NVMe`]: () =>
      resource(`${SYSTEM}/Storage/NVMe`, 'Storage.v1_15_0.Storage', 'NVMe drives', {
        Drives: hardware.disks.map((disk) => link(`${drives}/${disk.serial}`)),
        'Drives@odata.count': hardware.disks.length,
        Status: OK,
      }),
    ...Object.fromEntries(
      hardware.disks.map((disk) => [
        `${drives}/${disk.serial}`,
        () =>
          resource(`${drives}/${disk.serial}`, 'Drive.v1_17_0.Drive', disk.model, {
            Model: disk.model,
            SerialNumber: disk.serial,
            CapacityBytes: disk.sizeBytes,
            BlockSizeBytes: 512,
            MediaType: 'SSD',
            Protocol: 'NVMe',
            Status: OK,
            Links: { Chassis: link(CHASSIS) },
          }),
      ]),
    ),
    ...members(
      `${SYSTEM}/Processors`,
      'Processor',
      processors,
      (p) => p.id,
      ({ id, gpu }, path) =>
        resource(path, 'Processor.v1_18_0.Processor', id, {
          Socket: id,
          ProcessorType: gpu === undefined ? 'CPU' : 'GPU',
          Manufacturer: gpu === undefined ? 'AMD' : 'NVIDIA',
          Model: gpu?.model ?? hardware.cpuModel,
          ...(gpu === undefined
            ? { TotalThreads: cpuThreads, TotalCores: cpuThreads / 2, InstructionSet: 'x86-64' }
            : { SerialNumber: gpu.serial }),
          Status: OK,
        }),
    ),
    ...members(
      `${SYSTEM}/Memory`,
      'Memory',
      modules,
      (i) => `DIMM${i}`,
      (i, path) =>
        resource(path, 'Memory.v1_17_0.Memory', `DIMM ${i}`, {
          CapacityMiB: hardware.memoryMiB / modules.length,
          MemoryDeviceType: 'DDR5',
          MemoryType: 'DRAM',
          SerialNumber: `${hardware.serial}M${i}`,
          Status: OK,
        }),
    ),
    [`${ROOT}/Chassis`]: () => collection(`${ROOT}/Chassis`, 'Chassis', ['1']),
    [CHASSIS]: () =>
      resource(CHASSIS, 'Chassis.v1_23_0.Chassis', 'Computer System Chassis', {
        ChassisType: 'RackMount',
        Manufacturer: hardware.manufacturer,
        Model: hardware.model,
        SerialNumber: hardware.serial,
        PowerState: state.power,
        Status: OK,
        NetworkAdapters: link(`${CHASSIS}/NetworkAdapters`),
        Links: { ComputerSystems: [link(SYSTEM)], ManagedBy: [link(MANAGER)] },
      }),
    ...adapterTree(server, CHASSIS),
    [`${ROOT}/Managers`]: () => collection(`${ROOT}/Managers`, 'Manager', ['1']),
    [MANAGER]: () =>
      resource(MANAGER, 'Manager.v1_17_0.Manager', 'Manager', {
        ManagerType: 'BMC',
        Model: 'Lab BMC',
        FirmwareVersion: state.firmware['BMC'],
        UUID: hardware.uuid.replace('8000', '8001'),
        DateTime: isoTime(Date.now()),
        DateTimeLocalOffset: '+00:00',
        Status: OK,
        ...(has(server, 'Manager') ? { VirtualMedia: link(`${MANAGER}/VirtualMedia`) } : {}),
        HostInterfaces: link(`${MANAGER}/HostInterfaces`),
        LogServices: link(`${MANAGER}/LogServices`),
        Links: { ManagerForServers: [link(SYSTEM)], ManagerForChassis: [link(CHASSIS)] },
        Actions: {
          '#Manager.Reset': {
            target: `${MANAGER}/Actions/Manager.Reset`,
            'ResetType@Redfish.AllowableValues': ['GracefulRestart', 'ForceRestart'],
          },
        },
      }),
    ...hostInterfaceTree(server, MANAGER, SYSTEM),
    ...logTree(server, MANAGER),
    ...(has(server, 'System') ? mediaTree(server, SYSTEM) : {}),
    ...(has(server, 'Manager') ? mediaTree(server, MANAGER) : {}),
  };
}

/** Whether virtual media stand under the system, or under the manager: both, unless a fault says so. */
const has = (server: Server, where: 'System' | 'Manager'): boolean =>
  !server.faults.on(where === 'System' ? 'mediaOnlyUnderManager' : 'mediaOnlyUnderSystem');

function computerSystem(server: Server): Resource {
  const { hardware, state } = server;
  const settings = server.faults.on('bootOnlyOnSettings') || server.faults.on('settingsHaveOrderOnly');
  return resource(SYSTEM, 'ComputerSystem.v1_20_0.ComputerSystem', hardware.name, {
    SystemType: 'Physical',
    Manufacturer: hardware.manufacturer,
    Model: hardware.model,
    SerialNumber: hardware.serial,
    UUID: hardware.uuid,
    PowerState: state.power,
    BiosVersion: state.firmware['BIOS'],
    Status: state.power === 'On' ? OK : { State: 'Disabled', Health: 'OK' },
    ProcessorSummary: {
      Count: hardware.sockets,
      LogicalProcessorCount: hardware.threads,
      Model: hardware.cpuModel,
      Status: OK,
    },
    MemorySummary: { TotalSystemMemoryGiB: hardware.memoryMiB / 1024, Status: OK },
    Boot: bootOf(server),
    TrustedModules: trustedModules(server),
    ...(settings
      ? {
          '@Redfish.Settings': {
            '@odata.type': '#Settings.v1_3_5.Settings',
            SettingsObject: link(`${SYSTEM}/Settings`),
          },
        }
      : {}),
    Bios: link(`${SYSTEM}/Bios`),
    SecureBoot: link(`${SYSTEM}/SecureBoot`),
    Processors: link(`${SYSTEM}/Processors`),
    Memory: link(`${SYSTEM}/Memory`),
    EthernetInterfaces: link(`${SYSTEM}/EthernetInterfaces`),
    Storage: link(`${SYSTEM}/Storage`),
    ...(has(server, 'System') ? { VirtualMedia: link(`${SYSTEM}/VirtualMedia`) } : {}),
    Links: chassisLinks,
    Actions: {
      '#ComputerSystem.Reset': {
        target: `${SYSTEM}/Actions/ComputerSystem.Reset`,
        'ResetType@Redfish.AllowableValues': server.faults.on('resetValuesGlued')
          ? ['On', 'ForceOff', 'GracefulShutdownGracefulRestart', 'ForceRestart']
          : RESET_TYPES,
      },
    },
  });
}

const bootOf = (server: Server): Resource => ({
  ...overrideOf(server),
  BootOrder: bootOrder(server),
  BootOptions: link(`${SYSTEM}/BootOptions`),
});

const overrideOf = ({ state: { override } }: Server): Resource => ({
  BootSourceOverrideEnabled: override.enabled,
  BootSourceOverrideTarget: override.target,
  'BootSourceOverrideTarget@Redfish.AllowableValues': BOOT_TARGETS,
  BootSourceOverrideMode: override.mode,
  'BootSourceOverrideMode@Redfish.AllowableValues': ['UEFI', 'Legacy'],
});

/** The settings object of the system; most servers have none. */
function settingsTree(server: Server): Tree {
  const orderOnly = server.faults.on('settingsHaveOrderOnly');
  if (!orderOnly && !server.faults.on('bootOnlyOnSettings')) return {};
  return {
    [`${SYSTEM}/Settings`]: () =>
      resource(`${SYSTEM}/Settings`, 'ComputerSystem.v1_20_0.ComputerSystem', 'Settings', {
        Boot: orderOnly ? { BootOrder: bootOrder(server) } : overrideOf(server),
      }),
  };
}

import type {
  Chassis,
  Drive,
  FirmwareItem,
  Gpu,
  Health,
  Manager,
  MemoryModule,
  Processor,
  SystemIdentity,
  TrustedModule,
} from './inspection.ts';
import { asBoolean, asList, asNumber, asText, at } from './read.ts';

/** Health of a resource: what is rolled up where that is said. */
export function readHealth(body: unknown): Health {
  for (const key of ['HealthRollup', 'HealthRollUp', 'Health']) {
    const text = asText(at(body, 'Status', key))?.toLowerCase();
    if (text === 'ok') return 'OK';
    if (text === 'warning') return 'Warning';
    if (text === 'critical') return 'Critical';
  }
  return null;
}

/** Whether a resource says that nothing is there: an empty slot or socket. */
export const isAbsent = (body: unknown): boolean =>
  /^(absent|disabled)$/i.test(asText(at(body, 'Status', 'State')) ?? '') &&
  asText(at(body, 'Model')) === null;

const uuidOf = (value: unknown): string | null => {
  const text = asText(value)?.toLowerCase() ?? null;
  return text === null || /^[0f-]+$/.test(text) ? null : text;
};

export function readIdentity(body: unknown): SystemIdentity {
  return {
    manufacturer: asText(at(body, 'Manufacturer')),
    model: asText(at(body, 'Model')),
    serialNumber: asText(at(body, 'SerialNumber')),
    uuid: uuidOf(at(body, 'UUID')),
    sku: asText(at(body, 'SKU')),
    partNumber: asText(at(body, 'PartNumber')),
    assetTag: asText(at(body, 'AssetTag')),
    hostName: asText(at(body, 'HostName')),
  };
}

export function readProcessor(uri: string, body: unknown): Processor {
  return {
    uri,
    type: asText(at(body, 'ProcessorType')),
    manufacturer: asText(at(body, 'Manufacturer')),
    model: asText(at(body, 'Model')),
    architecture: asText(at(body, 'InstructionSet')) ?? asText(at(body, 'ProcessorArchitecture')),
    cores: asNumber(at(body, 'TotalCores')),
    threads: asNumber(at(body, 'TotalThreads')),
    maxSpeedMHz: asNumber(at(body, 'MaxSpeedMHz')),
    serialNumber: asText(at(body, 'SerialNumber')),
    health: readHealth(body),
  };
}

const GPU = /nvidia|\b(gpu|graphics|accelerator)\b|\b(a100|h100|h200|b200|b300|gb[23]00|l40s?|mi[23]\d\d)/i;

/** Whether a processor or a PCIe device is a GPU. */
export function isGpu(body: unknown): boolean {
  if (/^gpu$/i.test(asText(at(body, 'ProcessorType')) ?? '')) return true;
  if (/^(cpu|fpga|dsp|core|thread)$/i.test(asText(at(body, 'ProcessorType')) ?? '')) return false;
  const words = ['Model', 'Name', 'Description', 'DeviceType']
    .map((key) => asText(at(body, key)) ?? '')
    .join(' ');
  if (/bridge|switch|nic|ethernet|connectx|bluefield|infiniband|nvme|vga|matrox|aspeed/i.test(words))
    return false;
  return GPU.test(words) || /^accelerator$/i.test(asText(at(body, 'ProcessorType')) ?? '');
}

export function readGpu(uri: string, body: unknown): Gpu {
  const bytes = asNumber(at(body, 'MemorySummary', 'TotalMemorySizeMiB'));
  const own = asList(at(body, 'ProcessorMemory')).map((m) => asNumber(at(m, 'CapacityMiB')));
  const sum = own.reduce<number | null>((a, b) => (b === null ? a : (a ?? 0) + b), null);
  return {
    uri,
    manufacturer: asText(at(body, 'Manufacturer')),
    model: asText(at(body, 'Model')) ?? asText(at(body, 'Name')),
    serialNumber: asText(at(body, 'SerialNumber')),
    uuid: uuidOf(at(body, 'UUID')),
    memoryMiB: bytes ?? sum,
    firmware: asText(at(body, 'FirmwareVersion')),
    health: readHealth(body),
  };
}

export function readMemoryModule(uri: string, body: unknown): MemoryModule {
  return {
    uri,
    type: asText(at(body, 'MemoryDeviceType')) ?? asText(at(body, 'MemoryType')),
    capacityMiB: asNumber(at(body, 'CapacityMiB')),
    speedMHz: asNumber(at(body, 'OperatingSpeedMhz')),
    manufacturer: asText(at(body, 'Manufacturer')),
    partNumber: asText(at(body, 'PartNumber')),
    serialNumber: asText(at(body, 'SerialNumber')),
    slot: asText(at(body, 'DeviceLocator')),
    health: readHealth(body),
  };
}

/** Reads a Drive, or a device of SimpleStorage. */
export function readDrive(uri: string, body: unknown, controller: string | null): Drive {
  const wwn = asList(at(body, 'Identifiers'))
    .filter((id) => /^(naa|eui|nguid)$/i.test(asText(at(id, 'DurableNameFormat')) ?? ''))
    .map((id) => asText(at(id, 'DurableName')))
    .find((name) => name !== null);
  return {
    uri,
    name: asText(at(body, 'Name')) ?? asText(at(body, 'Id')),
    manufacturer: asText(at(body, 'Manufacturer')),
    model: asText(at(body, 'Model')),
    serialNumber: asText(at(body, 'SerialNumber')),
    sizeBytes: asNumber(at(body, 'CapacityBytes')),
    mediaType: asText(at(body, 'MediaType')),
    protocol: asText(at(body, 'Protocol')),
    firmware: asText(at(body, 'FirmwareVersion')) ?? asText(at(body, 'Revision')),
    wwn: wwn?.toLowerCase() ?? null,
    controller,
    predictedLifeLeftPercent: asNumber(at(body, 'PredictedMediaLifeLeftPercent')),
    health: readHealth(body),
  };
}

export function readFirmwareItem(uri: string, body: unknown): FirmwareItem {
  return {
    id: asText(at(body, 'Id')) ?? uri.slice(uri.lastIndexOf('/') + 1),
    name: asText(at(body, 'Name')),
    version: asText(at(body, 'Version')),
    updateable: asBoolean(at(body, 'Updateable')),
  };
}

export const readTrustedModules = (system: unknown): TrustedModule[] =>
  asList(at(system, 'TrustedModules'))
    .map((module) => ({
      type: asText(at(module, 'InterfaceType')),
      firmware: asText(at(module, 'FirmwareVersion')),
      state: asText(at(module, 'Status', 'State')),
    }))
    .filter((m) => m.type !== null || m.firmware !== null || (m.state !== null && m.state !== 'Absent'));

export function readManager(uri: string, body: unknown): Manager {
  return {
    uri,
    type: asText(at(body, 'ManagerType')),
    model: asText(at(body, 'Model')),
    firmware: asText(at(body, 'FirmwareVersion')),
    uuid: uuidOf(at(body, 'UUID')),
    health: readHealth(body),
  };
}

export function readChassis(uri: string, body: unknown): Chassis {
  return {
    uri,
    type: asText(at(body, 'ChassisType')),
    manufacturer: asText(at(body, 'Manufacturer')),
    model: asText(at(body, 'Model')),
    serialNumber: asText(at(body, 'SerialNumber')),
    assetTag: asText(at(body, 'AssetTag')),
  };
}

/** The indicator, by its new name or its old one. */
export function readIndicator(body: unknown): string | null {
  const active = asBoolean(at(body, 'LocationIndicatorActive'));
  return active === null ? asText(at(body, 'IndicatorLED')) : active ? 'Lit' : 'Off';
}

/** The boot mode that the system shows, by the override's mode or by its last state. */
export function readBootMode(system: unknown): 'UEFI' | 'Legacy' | null {
  const text = asText(at(system, 'Boot', 'BootSourceOverrideMode'))?.toLowerCase();
  return text === 'uefi' ? 'UEFI' : text === 'legacy' ? 'Legacy' : null;
}

/** Secure boot: what is set, and what the running system was booted with. */
export function readSecureBoot(body: unknown): {
  enabled: boolean | null;
  current: boolean | null;
  mode: string | null;
} {
  const current = asText(at(body, 'SecureBootCurrentBoot'))?.toLowerCase();
  return {
    enabled: asBoolean(at(body, 'SecureBootEnable')),
    current: current === 'enabled' ? true : current === 'disabled' ? false : null,
    mode: asText(at(body, 'SecureBootMode')),
  };
}

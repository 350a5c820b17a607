import { readBoot } from './boot.ts';
import type {
  Chassis,
  FirmwareItem,
  Gpu,
  Health,
  Manager,
  MemoryModule,
  Processor,
  SystemIdentity,
  TrustedModule,
} from './inspection.ts';
import { asBoolean, asList, asName, asNumber, asPositive, at, textsOf } from './read.ts';

/** Health of a resource: what is rolled up where that is said. */
export function readHealth(body: unknown): Health {
  for (const key of ['HealthRollup', 'HealthRollUp', 'Health']) {
    const text = asName(at(body, 'Status', key))?.toLowerCase();
    if (text === 'ok') return 'OK';
    if (text === 'warning') return 'Warning';
    if (text === 'critical') return 'Critical';
  }
  return null;
}

/** Whether a resource says that nothing is there: an empty slot or socket. One that names its part is switched off. */
export function isAbsent(body: unknown): boolean {
  if (!/^(absent|disabled)$/i.test(asName(at(body, 'Status', 'State')) ?? '')) return false;
  const named = ['Model', 'SerialNumber', 'PartNumber'].some((key) => asName(at(body, key)) !== null);
  return !named && !['CapacityMiB', 'CapacityBytes'].some((key) => asPositive(at(body, key)) !== null);
}

/** What boards hold whose maker set no UUID. */
const NO_UUID = new Set(['03000200-0400-0500-0006-000700080009']);

const uuidOf = (value: unknown): string | null => {
  const text = asName(value)?.toLowerCase() ?? null;
  return text === null || /^[0f-]+$/.test(text) || NO_UUID.has(text) ? null : text;
};

export function readIdentity(body: unknown): SystemIdentity {
  return {
    manufacturer: asName(at(body, 'Manufacturer')),
    model: asName(at(body, 'Model')),
    serialNumber: asName(at(body, 'SerialNumber')),
    uuid: uuidOf(at(body, 'UUID')),
    sku: asName(at(body, 'SKU')),
    partNumber: asName(at(body, 'PartNumber')),
    assetTag: asName(at(body, 'AssetTag')),
    hostName: asName(at(body, 'HostName')),
  };
}

export function readProcessor(uri: string, body: unknown): Processor {
  return {
    uri,
    type: asName(at(body, 'ProcessorType')),
    manufacturer: asName(at(body, 'Manufacturer')),
    model: asName(at(body, 'Model')),
    architecture: asName(at(body, 'InstructionSet')) ?? asName(at(body, 'ProcessorArchitecture')),
    cores: asPositive(at(body, 'TotalCores')),
    threads: asPositive(at(body, 'TotalThreads')),
    maxSpeedMHz: asPositive(at(body, 'MaxSpeedMHz')),
    serialNumber: asName(at(body, 'SerialNumber')),
    health: readHealth(body),
  };
}

const GPU = /nvidia|\b(gpu|graphics|accelerator)\b|\b(a100|h100|h200|b200|b300|gb[23]00|l40s?|mi[23]\d\d)/i;

/** Whether a processor is a CPU: also one that does not say what it is. */
export const isCpu = (body: unknown): boolean =>
  /^cpu$/i.test(asName(at(body, 'ProcessorType')) ?? 'CPU') && !isGpu(body);

/** Whether a processor or a PCIe device is a GPU. */
export function isGpu(body: unknown): boolean {
  if (/^gpu$/i.test(asName(at(body, 'ProcessorType')) ?? '')) return true;
  if (/^(cpu|fpga|dsp|core|thread)$/i.test(asName(at(body, 'ProcessorType')) ?? '')) return false;
  const words = ['Model', 'Name', 'Description', 'DeviceType']
    .map((key) => asName(at(body, key)) ?? '')
    .join(' ');
  if (/bridge|switch|nic|ethernet|connectx|bluefield|infiniband|nvme|vga|matrox|aspeed/i.test(words))
    return false;
  return GPU.test(words) || /^accelerator$/i.test(asName(at(body, 'ProcessorType')) ?? '');
}

export function readGpu(uri: string, body: unknown): Gpu {
  const total = asPositive(at(body, 'MemorySummary', 'TotalMemorySizeMiB'));
  const own = asList(at(body, 'ProcessorMemory')).map((m) => asNumber(at(m, 'CapacityMiB')));
  const sum = own.reduce<number | null>((a, b) => (b === null ? a : (a ?? 0) + b), null);
  return {
    uri,
    manufacturer: asName(at(body, 'Manufacturer')),
    model: asName(at(body, 'Model')) ?? asName(at(body, 'Name')),
    serialNumber: asName(at(body, 'SerialNumber')),
    uuid: uuidOf(at(body, 'UUID')),
    memoryMiB: total ?? sum,
    firmware: asName(at(body, 'FirmwareVersion')),
    health: readHealth(body),
  };
}

export function readMemoryModule(uri: string, body: unknown): MemoryModule {
  return {
    uri,
    type: asName(at(body, 'MemoryDeviceType')) ?? asName(at(body, 'MemoryType')),
    capacityMiB: asPositive(at(body, 'CapacityMiB')),
    speedMHz: asPositive(at(body, 'OperatingSpeedMhz')),
    manufacturer: asName(at(body, 'Manufacturer')),
    partNumber: asName(at(body, 'PartNumber')),
    serialNumber: asName(at(body, 'SerialNumber')),
    slot: asName(at(body, 'DeviceLocator')) ?? asName(at(body, 'Location', 'PartLocation', 'ServiceLabel')),
    health: readHealth(body),
  };
}

/** Threads of all CPUs: their own sum where each of them says it, else what the system sums up. */
export function threadsOf(system: unknown, cpus: readonly Processor[]): number | null {
  const told = cpus.map((cpu) => cpu.threads).filter((count) => count !== null);
  if (cpus.length > 0 && told.length === cpus.length) return told.reduce((a, b) => a + b, 0);
  return asPositive(at(system, 'ProcessorSummary', 'LogicalProcessorCount'));
}

/** The memory of a system: what it sums up, else the sum of its modules where each of them says its size. */
export function memoryGiBOf(system: unknown, modules: readonly MemoryModule[]): number | null {
  const summed = asPositive(at(system, 'MemorySummary', 'TotalSystemMemoryGiB'));
  if (summed !== null) return summed;
  const told = modules.map((module) => module.capacityMiB).filter((size) => size !== null);
  return told.length === 0 || told.length < modules.length ? null : told.reduce((a, b) => a + b, 0) / 1024;
}

export function readFirmwareItem(uri: string, body: unknown): FirmwareItem {
  return {
    id: asName(at(body, 'Id')) ?? uri.slice(uri.lastIndexOf('/') + 1),
    name: asName(at(body, 'Name')),
    version: asName(at(body, 'Version')),
    updateable: asBoolean(at(body, 'Updateable')),
  };
}

export const readTrustedModules = (system: unknown): TrustedModule[] =>
  asList(at(system, 'TrustedModules'))
    .slice(0, 16)
    .map((module) => ({
      type: asName(at(module, 'InterfaceType')),
      firmware: asName(at(module, 'FirmwareVersion')),
      state: asName(at(module, 'Status', 'State')),
    }))
    .filter((m) => m.type !== null || m.firmware !== null || (m.state !== null && m.state !== 'Absent'));

/** Reads a trusted component of the chassis, where newer services show the TPM; null if it is another. */
export function readTrustedComponent(body: unknown): TrustedModule | null {
  const words = ['Id', 'Name', 'Model'].map((key) => asName(at(body, key)) ?? '').join(' ');
  const state = asName(at(body, 'Status', 'State'));
  if ((at(body, 'TPM') === undefined && !/\btpm/i.test(words)) || state === 'Absent') return null;
  return { type: 'TPM', firmware: asName(at(body, 'FirmwareVersion')), state };
}

export function readManager(uri: string, body: unknown): Manager {
  return {
    uri,
    type: asName(at(body, 'ManagerType')),
    model: asName(at(body, 'Model')),
    firmware: asName(at(body, 'FirmwareVersion')),
    uuid: uuidOf(at(body, 'UUID')),
    health: readHealth(body),
  };
}

export function readChassis(uri: string, body: unknown): Chassis {
  return {
    uri,
    type: asName(at(body, 'ChassisType')),
    manufacturer: asName(at(body, 'Manufacturer')),
    model: asName(at(body, 'Model')),
    serialNumber: asName(at(body, 'SerialNumber')),
    assetTag: asName(at(body, 'AssetTag')),
  };
}

/** The indicator, by its new name or its old one. */
export function readIndicator(body: unknown): string | null {
  const active = asBoolean(at(body, 'LocationIndicatorActive'));
  return active === null ? asName(at(body, 'IndicatorLED')) : active ? 'Lit' : 'Off';
}

/** The boot mode that the system shows, by the override's mode or by its last state. */
export function readBootMode(system: unknown): 'UEFI' | 'Legacy' | null {
  const text = asName(at(system, 'Boot', 'BootSourceOverrideMode'))?.toLowerCase();
  return text === 'uefi' ? 'UEFI' : text === 'legacy' ? 'Legacy' : null;
}

/** The boot override. */
export function readOverride(system: unknown): {
  overrideTarget: string | null;
  overrideEnabled: string | null;
} {
  const { target, enabled } = readBoot(system);
  return {
    overrideTarget: target?.slice(0, 255) ?? null,
    overrideEnabled: enabled?.slice(0, 255) ?? null,
  };
}

/** The boot order, by references or, with some makers, by devices. */
export const readOrder = (system: unknown): string[] =>
  textsOf(at(system, 'Boot', 'BootOrder'))
    .slice(0, 64)
    .map((each) => each.slice(0, 255));

/** Secure boot: what is set, and what the running system was booted with. */
export function readSecureBoot(body: unknown): {
  enabled: boolean | null;
  current: boolean | null;
  mode: string | null;
} {
  const current = asName(at(body, 'SecureBootCurrentBoot'))?.toLowerCase();
  return {
    enabled: asBoolean(at(body, 'SecureBootEnable')),
    current: current === 'enabled' ? true : current === 'disabled' ? false : null,
    mode: asName(at(body, 'SecureBootMode')),
  };
}

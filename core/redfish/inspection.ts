import type { Neighbour } from '../cabling.ts';
import type { MacFinding } from './nics.ts';

/** Health as the service rolls it up; null where it does not say. */
export type Health = 'OK' | 'Warning' | 'Critical' | null;

export interface SystemIdentity {
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly serialNumber: string | null;
  readonly uuid: string | null;
  readonly sku: string | null;
  readonly partNumber: string | null;
  readonly assetTag: string | null;
  readonly hostName: string | null;
}

export interface Processor {
  readonly uri: string;
  readonly type: string | null;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly architecture: string | null;
  readonly cores: number | null;
  readonly threads: number | null;
  readonly maxSpeedMHz: number | null;
  readonly serialNumber: string | null;
  readonly health: Health;
}

export interface MemoryModule {
  readonly uri: string;
  readonly type: string | null;
  readonly capacityMiB: number | null;
  readonly speedMHz: number | null;
  readonly manufacturer: string | null;
  readonly partNumber: string | null;
  readonly serialNumber: string | null;
  readonly slot: string | null;
  readonly health: Health;
}

export interface Gpu {
  readonly uri: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly serialNumber: string | null;
  readonly uuid: string | null;
  readonly memoryMiB: number | null;
  readonly firmware: string | null;
  readonly health: Health;
}

export interface Drive {
  readonly uri: string;
  readonly name: string | null;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly serialNumber: string | null;
  readonly sizeBytes: number | null;
  readonly mediaType: string | null;
  readonly protocol: string | null;
  readonly firmware: string | null;
  readonly wwn: string | null;
  readonly controller: string | null;
  readonly predictedLifeLeftPercent: number | null;
  readonly health: Health;
}

export interface StorageController {
  readonly uri: string;
  readonly name: string | null;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly health: Health;
}

/** A virtual drive. Which image is in it is not said: its address may hold a token. */
export interface VirtualDrive {
  readonly uri: string;
  readonly mediaTypes: readonly string[];
  readonly occupied: boolean;
  /** Whether it offers the standard action that inserts an image. */
  readonly insertable: boolean;
}

export interface FirmwareItem {
  readonly id: string;
  readonly name: string | null;
  readonly version: string | null;
  readonly updateable: boolean | null;
}

export interface TrustedModule {
  readonly type: string | null;
  readonly firmware: string | null;
  readonly state: string | null;
}

export interface Manager {
  readonly uri: string;
  readonly type: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly uuid: string | null;
  readonly health: Health;
}

export interface Chassis {
  readonly uri: string;
  readonly type: string | null;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly serialNumber: string | null;
  readonly assetTag: string | null;
}

/** What a node is made of, as its BMC says. Null where the BMC does not know or was not understood. */
export interface Inspection {
  readonly system: SystemIdentity;
  readonly vendor: string | null;
  readonly redfishVersion: string | null;
  readonly power: 'on' | 'off' | 'changing' | 'unknown';
  /** It is on, and its firmware has not found its hardware yet. */
  readonly starting: boolean;
  readonly health: Health;
  readonly indicator: string | null;
  readonly bios: { readonly version: string | null };
  readonly boot: {
    readonly mode: 'UEFI' | 'Legacy' | null;
    /** What the settings of the BIOS say. */
    readonly biosMode: 'UEFI' | 'Legacy' | null;
    readonly overrideTarget: string | null;
    readonly overrideEnabled: string | null;
    readonly order: readonly string[];
    readonly secureBoot: {
      readonly enabled: boolean | null;
      readonly current: boolean | null;
      readonly mode: string | null;
      /** What the settings of the BIOS say. */
      readonly bios: boolean | null;
    } | null;
    /** Where what shows boot mode and secure boot says different things. */
    readonly disagreements: readonly string[];
  };
  readonly trustedModules: readonly TrustedModule[];
  readonly cpus: {
    readonly count: number | null;
    readonly model: string | null;
    /** Of all CPUs together. */
    readonly threads: number | null;
    readonly items: readonly Processor[];
  };
  readonly memory: { readonly totalGiB: number | null; readonly modules: readonly MemoryModule[] };
  readonly gpus: readonly Gpu[];
  readonly nics: readonly MacFinding[];
  /** The MACs that identify this node: every one of a port of its own that is neither empty nor repeated. Sorted. */
  readonly macs: readonly string[];
  /** What its ports hear by LLDP, where the BMC shows it. */
  readonly neighbours: readonly (Neighbour & { readonly mac: string })[];
  readonly controllers: readonly StorageController[];
  readonly drives: readonly Drive[];
  readonly virtualMedia: readonly VirtualDrive[];
  readonly firmware: readonly FirmwareItem[];
  readonly managers: readonly Manager[];
  readonly chassis: readonly Chassis[];
  /** Parts that could not be read, and why: an empty list there means "unknown", not "none". */
  readonly unread: readonly { readonly part: string; readonly why: string }[];
  readonly requests: number;
}

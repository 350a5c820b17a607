import type { Neighbour } from '../cabling.ts';
import { readLldp } from './lldp.ts';
import { countOf, macOf, objectOf, objectsOf, textOf } from './read.ts';

/** A disk as the agent sees it. */
export interface AgentDisk {
  readonly name: string;
  readonly sizeBytes: number;
  readonly model: string | null;
  readonly vendor: string | null;
  readonly serial: string | null;
  readonly wwn: string | null;
  readonly hctl: string | null;
  readonly byPath: string | null;
  readonly rotational: boolean | null;
  /** What it is connected by: `nvme`, `sata`, `sas`, `usb`; null where the agent does not tell it. */
  readonly bus: string | null;
}

export interface AgentInterface {
  readonly name: string;
  readonly mac: string | null;
  readonly address: string | null;
  readonly carrier: boolean | null;
  /** What it hears of its switch; null too where the agent was not asked to listen. */
  readonly neighbour: Neighbour | null;
}

/** What `poll.get_hardware_info` tells, as far as we use it. */
export interface AgentHardware {
  readonly disks: readonly AgentDisk[];
  readonly interfaces: readonly AgentInterface[];
  readonly cpus: number | null;
  readonly memoryMiB: number | null;
  readonly bootMode: string | null;
  /** Models of the accelerators; null where the agent does not tell them, as the plain one does not. */
  readonly gpus: readonly (string | null)[] | null;
  readonly vendor: {
    readonly manufacturer: string | null;
    readonly product: string | null;
    readonly serial: string | null;
  };
}

/** Reads the hardware inventory of the agent; what is missing is null, a disk without a name is left out. */
export function readHardware(result: unknown): AgentHardware {
  const info = objectOf(result);
  const vendor = objectOf(info['system_vendor']);
  return {
    disks: objectsOf(info['disks'])
      .map(readDisk)
      .filter((disk) => disk !== undefined),
    interfaces: objectsOf(info['interfaces']).map((nic) => ({
      name: textOf(nic['name']) ?? 'unnamed',
      mac: macOf(nic['mac_address']),
      address: textOf(nic['ipv4_address']) ?? textOf(nic['ipv6_address']),
      carrier: typeof nic['has_carrier'] === 'boolean' ? nic['has_carrier'] : null,
      neighbour: readLldp(nic['lldp']),
    })),
    cpus: countOf(objectOf(info['cpu'])['count']),
    memoryMiB: countOf(objectOf(info['memory'])['physical_mb']),
    bootMode: textOf(objectOf(info['boot'])['current_boot_mode']),
    gpus: Array.isArray(info['gpus']) ? objectsOf(info['gpus']).map((gpu) => textOf(gpu['model'])) : null,
    vendor: {
      manufacturer: textOf(vendor['manufacturer']),
      product: textOf(vendor['product_name']),
      serial: textOf(vendor['serial_number']),
    },
  };
}

function readDisk(disk: { readonly [key: string]: unknown }): AgentDisk | undefined {
  const name = textOf(disk['name']);
  if (name === null) return undefined;
  const first = (value: unknown): string | null =>
    textOf(Array.isArray(value) ? (value as unknown[])[0] : value);
  return {
    name,
    sizeBytes: countOf(disk['size']) ?? 0,
    model: textOf(disk['model']),
    vendor: textOf(disk['vendor']),
    serial: first(disk['serial']),
    wwn: first(disk['wwn']),
    hctl: textOf(disk['hctl']),
    byPath: textOf(disk['by_path']),
    rotational: typeof disk['rotational'] === 'boolean' ? disk['rotational'] : null,
    bus: textOf(disk['tran']),
  };
}

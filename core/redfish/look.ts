import type { Neighbour } from '../cabling.ts';
import { oneLine } from '../markdown.ts';
import type { Inspection } from './inspection.ts';

/** A part that can be told from others of its kind: a GPU or a drive. */
export interface SeenPart {
  /** Its serial number, or what else its maker names it by; null where the BMC shows none. */
  readonly id: string | null;
  readonly model: string | null;
  readonly sizeBytes: number | null;
  /** Where the BMC shows it. */
  readonly uri: string;
}

export interface SeenNic {
  readonly mac: string;
  readonly uris: readonly string[];
  /** What it hears by LLDP. */
  readonly neighbour: Neighbour | null;
}

/** Kinds of parts that are looked for one by one. */
export type Kind = 'nics' | 'gpus' | 'drives';

/** One inspection in the form that is compared with another. */
export interface Look {
  readonly at: string;
  readonly requestId: string;
  /** The host was on, and its firmware was through with finding its hardware. */
  readonly on: boolean;
  readonly system: { readonly serialNumber: string | null; readonly uuid: string | null };
  readonly threads: number | null;
  readonly memoryGiB: number | null;
  readonly nics: readonly SeenNic[];
  /** MACs that are shown and identify nothing, and places that are shown without their MAC. */
  readonly blurred: readonly string[];
  readonly gpus: readonly SeenPart[];
  readonly drives: readonly SeenPart[];
  readonly bootMode: string | null;
  readonly secureBoot: boolean | null;
  /** Whether there is a TPM; null where not everything that may show one could be read. */
  readonly tpm: boolean | null;
  readonly firmware: { readonly [id: string]: string };
  /** Kinds of which something could not be read: what is not there may be there. */
  readonly unsure: readonly Kind[];
}

/** Of which kind a part of an inspection tells, by the names in `unread`. */
const TELLS: { readonly [part: string]: Kind } = {
  'ethernet interfaces': 'nics',
  'network adapters': 'nics',
  'network functions': 'nics',
  'network ports': 'nics',
  'network interfaces': 'nics',
  'boot options': 'nics',
  processors: 'gpus',
  'PCIe devices': 'gpus',
  systems: 'gpus',
  baseboards: 'gpus',
  GPUs: 'gpus',
  'graphics controllers': 'gpus',
  storage: 'drives',
  'simple storage': 'drives',
  drives: 'drives',
};
/** The chassis leads to adapters, and to devices. */
const LEADS: { readonly [part: string]: readonly Kind[] } = { chassis: ['nics', 'gpus'] };

const MOST = { nics: 128, gpus: 64, drives: 256, firmware: 256, uris: 8 } as const;
const short = (text: string): string => text.slice(0, 300);
const isBootOption = (uri: string): boolean => /\/BootOptions\//.test(uri);

const neighbourOf = ({ chassisId, systemName, portId, portDescription }: Neighbour): Neighbour => {
  const named = (text: string | null): string | null => (text === null ? null : oneLine(text, 120));
  return {
    chassisId: named(chassisId),
    systemName: named(systemName),
    portId: named(portId),
    portDescription: named(portDescription),
  };
};

/** The comparable form of an inspection. */
export function lookOf(inspection: Inspection, at: string, requestId: string): Look {
  const { power, starting, system, cpus, memory, nics, macs, neighbours, gpus, drives, boot } = inspection;
  const heard = (mac: string): Neighbour | null => {
    const found = neighbours.find((each) => each.mac === mac);
    return found === undefined ? null : neighbourOf(found);
  };
  const read = (part: string): boolean => inspection.unread.every((each) => each.part !== part);
  const isPort = (mac: string | null): boolean => mac !== null && macs.includes(mac);
  return {
    at,
    requestId,
    on: power === 'on' && !starting,
    system: { serialNumber: system.serialNumber, uuid: system.uuid },
    threads: cpus.threads,
    memoryGiB: memory.totalGiB,
    nics: nics
      .filter(({ mac }) => isPort(mac))
      .slice(0, MOST.nics)
      .map(({ mac, sources }) => ({
        mac: mac!,
        // The number of a boot option says nothing of the port.
        uris: sources
          .filter((uri) => !isBootOption(uri))
          .slice(0, MOST.uris)
          .map(short),
        neighbour: heard(mac!),
      })),
    blurred: nics
      .filter(({ mac }) => !isPort(mac))
      .slice(0, MOST.nics)
      .flatMap(({ mac, sources }) => (mac === null ? sources.slice(0, MOST.uris).map(short) : [mac])),
    gpus: gpus.slice(0, MOST.gpus).map(({ serialNumber, uuid, model, uri }) => ({
      id: serialNumber ?? uuid,
      model,
      sizeBytes: null,
      uri: short(uri),
    })),
    drives: drives.slice(0, MOST.drives).map(({ serialNumber, wwn, model, sizeBytes, uri }) => ({
      id: serialNumber ?? wwn,
      model,
      sizeBytes,
      uri: short(uri),
    })),
    bootMode: boot.biosMode,
    secureBoot: read('secure boot') ? (boot.secureBoot?.enabled ?? boot.secureBoot?.bios ?? null) : null,
    tpm:
      inspection.trustedModules.length > 0 || (read('trusted components') && read('chassis') ? false : null),
    firmware: Object.fromEntries(
      inspection.firmware
        .slice(0, MOST.firmware)
        .flatMap(({ id, version }) => (version === null ? [] : [[id, version]])),
    ),
    unsure: [
      ...new Set(inspection.unread.flatMap(({ part }) => LEADS[part] ?? (TELLS[part] ? [TELLS[part]] : []))),
    ],
  };
}

import type { AgentDisk } from './hardware.ts';
import { countOf, objectOf, objectsOf, textOf, toldOf } from './read.ts';

/** The name by which our hardware manager stands among those of an agent: agent/. */
const HARDWARE_MANAGER = 'rackwright_hardware_manager';

/** What was found at the places of a device that were read after it was erased. */
export interface ReadBack {
  readonly places: number;
  /** Places that are not erased by the rule. */
  readonly left: number;
  readonly unreadable: number;
  /** `changed`: nothing of what stood there before; else the places are empty. */
  readonly rule: string;
  /** Whether it was read past the page cache. */
  readonly direct: boolean | null;
  readonly verified: boolean;
}

/** What the agent tells of one device that it was to erase. */
export interface DeviceErasure {
  readonly name: string;
  readonly serial: string | null;
  readonly wwn: string | null;
  readonly sizeBytes: number | null;
  /** Null where the agent does not tell it, as the plain one does not. */
  readonly method: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Methods of the device itself that were tried before, and why they will not do. */
  readonly failed: readonly { readonly method: string; readonly reason: string }[];
  /** Why it was left alone; null where it was not. */
  readonly skipped: string | null;
  /** Null where it was not read back. */
  readonly readBack: ReadBack | null;
}

/** Whether an agent with these hardware managers reads back what it erased. */
export const provesErasure = (versions: unknown): boolean =>
  textOf(objectOf(versions)[HARDWARE_MANAGER]) !== null;

/** Reads what the clean step returned: a proof per device, or its name alone. */
export const readErasure = (cleanResult: unknown): DeviceErasure[] =>
  Object.entries(objectOf(cleanResult))
    .slice(0, 1024)
    .map(([name, told]) => readDevice(name, objectOf(told)));

const readDevice = (name: string, told: { readonly [key: string]: unknown }): DeviceErasure => ({
  name: name.slice(0, 256),
  serial: textOf(told['serial']),
  wwn: textOf(told['wwn']),
  sizeBytes: countOf(told['sizeBytes']),
  method: textOf(told['method']),
  startedAt: textOf(told['startedAt']),
  finishedAt: textOf(told['finishedAt']),
  failed: objectsOf(told['failedMethods']).map((each) => ({
    method: textOf(each['method']) ?? 'unknown',
    reason: toldOf(each['reason'], 300) ?? 'no reason given',
  })),
  skipped: textOf(told['skipped']),
  readBack: readReadBack(told),
});

function readReadBack(told: { readonly [key: string]: unknown }): ReadBack | null {
  const places = countOf(told['sampledBlocks']);
  if (places === null) return null;
  return {
    places,
    left: countOf(told['leftBlocks']) ?? countOf(told['nonZeroBlocks']) ?? 0,
    unreadable: countOf(told['unreadableBlocks']) ?? 0,
    rule: textOf(told['rule']) ?? 'zero',
    direct: typeof told['direct'] === 'boolean' ? told['direct'] : null,
    verified: told['verified'] === true,
  };
}

const isUsb = ({ bus, byPath }: AgentDisk): boolean => bus === 'usb' || /-usb-/.test(byPath ?? '');

/** A volume of a software RAID: what it is made of are other disks. */
const isVolume = ({ name }: AgentDisk): boolean => name.startsWith('/dev/md');

/** What becomes of the disks that an agent sees. */
export interface Disks {
  readonly erase: readonly AgentDisk[];
  /** On USB, as virtual media are: never erased, and never asked for. */
  readonly leave: readonly AgentDisk[];
  readonly volumes: readonly AgentDisk[];
}

export const sortDisks = (disks: readonly AgentDisk[]): Disks => ({
  erase: disks.filter((disk) => !isUsb(disk) && !isVolume(disk)),
  leave: disks.filter(isUsb),
  volumes: disks.filter((disk) => !isUsb(disk) && isVolume(disk)),
});

/**
 * All disks of several looks at a machine: one that is gone in the last one is not forgotten. Of one look each
 * is a disk of its own, also where two say that they have one WWN.
 */
export function disksOfAll(looks: readonly (readonly AgentDisk[])[]): AgentDisk[] {
  const seen: AgentDisk[] = [];
  for (const look of looks) {
    const open = [...seen];
    for (const disk of look) {
      const earlier =
        open.find((other) => other.name === disk.name && mayBe(disk, other)) ??
        open.find((other) => isAgain(disk, other) && !look.some(({ name }) => name === other.name));
      if (earlier === undefined) {
        seen.push(disk);
        continue;
      }
      open.splice(open.indexOf(earlier), 1);
      seen[seen.indexOf(earlier)] = disk;
    }
  }
  return seen;
}

/** Whether nothing that both looks tell of a disk differs. */
const mayBe = (one: AgentDisk, other: AgentDisk): boolean =>
  (one.serial === null || other.serial === null || one.serial === other.serial) &&
  (one.wwn === null || other.wwn === null || one.wwn === other.wwn);

/** Whether a disk is known again whatever its name is. */
const isAgain = (one: AgentDisk, other: AgentDisk): boolean =>
  one.wwn !== null && one.wwn === other.wwn && one.serial === other.serial;

/** The disks that are left alone, in the words of the agent. */
export const skipHints = ({ leave }: Disks): { readonly name: string }[] =>
  leave.map(({ name }) => ({ name: `s== ${name}` }));

/** A serial number or WWN as makers write it in one form: `eui.0025` and `0x0025` are the same. */
const plain = (text: string | null): string =>
  (text ?? '')
    .replace(/^\s*(eui\.|naa\.|0x)/i, '')
    .replace(/[^a-z0-9]/gi, '')
    .toUpperCase();

/**
 * Drives that the BMC shows and the agent does not. They are gone from the agent's sight, or behind a RAID
 * controller, which shows volumes of its own: that cannot be told apart from here.
 */
export const unseenDrives = (
  drives: readonly { readonly id: string | null }[],
  disks: readonly AgentDisk[],
): string[] => {
  const seen = new Set(disks.flatMap(({ serial, wwn }) => [plain(serial), plain(wwn)]));
  return drives.flatMap(({ id }) => (plain(id) === '' || seen.has(plain(id)) ? [] : [id!.trim()]));
};

/** A disk, what the agent told of it, and what is not right with that; null where it is. */
export interface Judged {
  readonly disk: AgentDisk;
  readonly told: DeviceErasure | undefined;
  readonly problem: string | null;
}

/** Holds what the agent told against the disks that were to be erased. `proved`: each has to be read back. */
export const judgeErasure = (
  disks: readonly AgentDisk[],
  told: readonly DeviceErasure[],
  proved: boolean,
): Judged[] =>
  disks.map((disk) => {
    const ours = toldOfDisk(disk, disks, told);
    return { disk, told: ours, problem: problemOf(ours, proved) };
  });

/**
 * By its name; and by serial and WWN where it has another name now. Two namespaces of one controller have one
 * serial, so that what another disk of the list is named by is not taken.
 */
function toldOfDisk(
  disk: AgentDisk,
  disks: readonly AgentDisk[],
  told: readonly DeviceErasure[],
): DeviceErasure | undefined {
  const fits = ({ serial, wwn }: DeviceErasure): boolean =>
    (serial === null || disk.serial === null || serial === disk.serial) &&
    (wwn === null || disk.wwn === null || wwn === disk.wwn);
  return (
    told.find((each) => each.name === disk.name && fits(each)) ??
    told.find(
      (each) =>
        each.serial !== null &&
        each.serial === disk.serial &&
        fits(each) &&
        !disks.some(({ name }) => name === each.name),
    )
  );
}

function problemOf(told: DeviceErasure | undefined, proved: boolean): string | null {
  if (told === undefined) return 'missing in what the agent erased';
  // Also as virtual media: the agent knows it by a label, which an owner may put on any disk.
  if (told.skipped !== null) return `left alone by the agent: ${told.skipped}`;
  const { readBack, method } = told;
  if (readBack === null) return proved ? 'not read back, though the agent can' : null;
  if (readBack.places === 0) return `${method ?? 'unknown method'}, read back nowhere`;
  if (readBack.verified && readBack.left === 0 && readBack.unreadable === 0) return null;
  const found = [
    ...(readBack.left > 0 ? [`${count(readBack.left)} of ${places(readBack)} not erased`] : []),
    ...(readBack.unreadable > 0 ? [`${count(readBack.unreadable)} of ${places(readBack)} unreadable`] : []),
  ];
  return `${method ?? 'unknown method'}, ${found.join(', ') || 'not verified'}${fallBack(told)}`;
}

const count = (value: number): string => value.toLocaleString('en-US');
const places = ({ places: read }: ReadBack): string => `${count(read)} places`;
const fallBack = ({ failed }: DeviceErasure): string =>
  failed.length === 0 ? '' : ` (${failed.map(({ method, reason }) => `${method}: ${reason}`).join('; ')})`;

/** A disk and what was done to it, in words: `nvme0n1 S4X nvme-format, read back at 1,512 places: empty`. */
export function shownErasure({ disk, told }: Judged): string {
  const named = `${disk.name.replace(/^\/dev\//, '')} ${disk.serial ?? 'without serial'}`;
  if (told === undefined) return named;
  if (told.skipped !== null) return `${named} left alone: ${told.skipped}`;
  const { readBack } = told;
  const read =
    readBack === null
      ? ''
      : `, read back at ${places(readBack)}: ${readBack.rule === 'changed' ? 'nothing of what was there' : 'empty'}`;
  return `${named}${told.method === null ? '' : ` ${told.method}`}${fallBack(told)}${read}`;
}

import { fail } from '../errors/failure.ts';
import { answeredJson, type Answers, type Questions } from './answers.ts';

const COLUMNS = 'NAME,KNAME,TYPE,SIZE,SERIAL,WWN,FSTYPE,LABEL,PARTLABEL';

/** All block devices, and what the paths lead to that the script is given, by their place in its arguments. */
export const DISK_QUESTIONS: Questions = {
  paths: 'n=0; for p in "$@"; do n=$((n + 1)); echo "path $n $(readlink -e -- "$p")"; done',
  links: 'for l in /dev/disk/by-id/*; do test -e "$l" && echo "link $(readlink -e -- "$l") $l"; done',
  // Before util-linux 2.37 there is MOUNTPOINT alone, with one of them.
  lsblk: `as_root lsblk -J -b -p -o ${COLUMNS},MOUNTPOINTS 2>/dev/null || as_root lsblk -J -b -p -o ${COLUMNS},MOUNTPOINT`,
};

/** A block device as lsblk shows it, with what stands on it. */
export interface BlockDevice {
  /** As in /dev/dm-0; the same device stands under each that it is made of. */
  readonly kname: string;
  readonly name: string;
  readonly type: string;
  readonly serial: string | undefined;
  readonly wwn: string | undefined;
  /** The signature that is on it: a file system, a member of something, or nothing. */
  readonly fstype: string | undefined;
  readonly label: string | undefined;
  readonly mounts: readonly string[];
  readonly children: readonly BlockDevice[];
}

export interface Disks {
  readonly devices: readonly BlockDevice[];
  /** What the paths of the contract lead to, in their order; undefined: nothing is there. */
  readonly targets: readonly (string | undefined)[];
  /** Names under /dev/disk/by-id, by what they lead to. */
  readonly links: ReadonlyMap<string, readonly string[]>;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

function deviceOf(value: unknown): BlockDevice[] {
  if (typeof value !== 'object' || value === null) return [];
  const raw = value as Record<string, unknown>;
  const kname = textOf(raw['kname']) ?? textOf(raw['name']);
  if (kname === undefined) return [];
  const mounts = Array.isArray(raw['mountpoints']) ? raw['mountpoints'] : [raw['mountpoint']];
  return [
    {
      kname,
      name: textOf(raw['name']) ?? kname,
      type: textOf(raw['type']) ?? '',
      serial: textOf(raw['serial']),
      wwn: textOf(raw['wwn']),
      fstype: textOf(raw['fstype']),
      label: textOf(raw['partlabel']) ?? textOf(raw['label']),
      mounts: (mounts as unknown[]).flatMap((each) => textOf(each) ?? []),
      children: Array.isArray(raw['children']) ? (raw['children'] as unknown[]).flatMap(deviceOf) : [],
    },
  ];
}

export function readDisks(answers: Answers, paths: readonly string[]): Disks {
  const said = answeredJson(answers, 'lsblk', 'lsblk');
  const list = (said as { blockdevices?: unknown } | null)?.blockdevices;
  if (!Array.isArray(list)) throw fail('HOST_ANSWER_INVALID', '`lsblk` does not say a list of devices.');
  const lines = (answers['paths']?.text ?? '').split('\n').map((line) => line.trim().split(' '));
  const links = new Map<string, string[]>();
  for (const [, target, link] of (answers['links']?.text ?? '').matchAll(/^link (\S+) (\S+)$/gm)) {
    links.set(target!, [...(links.get(target!) ?? []), link!]);
  }
  return {
    devices: (list as unknown[]).flatMap(deviceOf),
    targets: paths.map((path, index) => {
      const line = lines.find(([word, n]) => word === 'path' && n === String(index + 1));
      if (line === undefined) throw fail('HOST_ANSWER_INVALID', `It does not say what ${path} is.`);
      return textOf(line.slice(2).join(' '));
    }),
    links,
  };
}

/** A device and all that stands on it. */
export const withAllOn = (device: BlockDevice): BlockDevice[] => [
  device,
  ...device.children.flatMap(withAllOn),
];

import type { JsonObject } from '../json.ts';
import type { AgentDisk } from './hardware.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** The contract's hints. All that are given must match. */
export interface RootDeviceHints {
  readonly name?: string | undefined;
  readonly byPath?: string | undefined;
  readonly model?: string | undefined;
  readonly vendor?: string | undefined;
  readonly serial?: string | undefined;
  readonly wwn?: string | undefined;
  readonly hctl?: string | undefined;
  readonly sizeGiB?: number | undefined;
  readonly minSizeGiB?: number | undefined;
  readonly rotational?: boolean | undefined;
}

export type RootDeviceChoice =
  | { readonly disk: AgentDisk }
  | { readonly problem: 'none' | 'several'; readonly candidates: readonly AgentDisk[] };

const TEXTS = ['name', 'byPath', 'model', 'vendor', 'serial', 'wwn', 'hctl'] as const;

function matches(disk: AgentDisk, hints: RootDeviceHints): boolean {
  const texts = TEXTS.every((hint) => {
    const wanted = hints[hint];
    return wanted === undefined || disk[hint]?.toLowerCase() === wanted.trim().toLowerCase();
  });
  const size = Math.floor(disk.sizeBytes / GIB);
  return (
    texts &&
    (hints.sizeGiB === undefined || size === hints.sizeGiB) &&
    (hints.minSizeGiB === undefined || size >= hints.minSizeGiB) &&
    (hints.rotational === undefined || disk.rotational === hints.rotational)
  );
}

/** The one disk that all hints fit; without hints the only disk there is. Never a guess. */
export function chooseRootDevice(
  disks: readonly AgentDisk[],
  hints: RootDeviceHints | undefined,
): RootDeviceChoice {
  const candidates = hints === undefined ? disks : disks.filter((disk) => matches(disk, hints));
  if (candidates.length === 1) return { disk: candidates[0]! };
  return { problem: candidates.length === 0 ? 'none' : 'several', candidates };
}

/** The hints in the words of the agent; it finds the same disk if it has to choose by itself. */
export function agentHints(hints: RootDeviceHints | undefined): JsonObject | undefined {
  if (hints === undefined) return undefined;
  const size = hints.sizeGiB ?? hints.minSizeGiB;
  const given: JsonObject = {};
  for (const hint of TEXTS) {
    const value = hints[hint];
    if (value !== undefined) given[hint === 'byPath' ? 'by_path' : hint] = `s== ${value.trim()}`;
  }
  if (size !== undefined) given['size'] = `>= ${size}`;
  if (hints.rotational !== undefined) given['rotational'] = hints.rotational;
  return given;
}

/** One disk in words, for an error that lists what was seen. */
export function shownDisk(disk: AgentDisk): string {
  const facts = [
    disk.sizeBytes < GIB
      ? `${Math.floor(disk.sizeBytes / MIB)} MiB`
      : `${Math.floor(disk.sizeBytes / GIB)} GiB`,
    ...[disk.vendor, disk.model].filter((text) => text !== null),
    ...(disk.serial === null ? [] : [`serial ${disk.serial}`]),
    ...(disk.wwn === null ? [] : [`wwn ${disk.wwn}`]),
    ...(disk.rotational === true ? ['rotational'] : []),
  ];
  return `${disk.name} (${facts.join(', ')})`;
}

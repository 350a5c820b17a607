import type { AgentHardware } from './hardware.ts';

/** What each server of a machine type must have. */
export interface Expected {
  readonly cpus?: number | undefined;
  readonly memoryMiB?: number | undefined;
  readonly gpus?: { readonly count: number; readonly model?: string | undefined } | undefined;
  readonly nics?: number | undefined;
  readonly disks?: readonly { readonly minBytes: number; readonly count: number }[] | undefined;
  /** Where something has to be mounted in the guest. */
  readonly mounts?: readonly string[] | undefined;
}

/** Memory that firmware keeps for itself: this share of what is expected may be missing. */
const MEMORY_TOLERANCE = 0.05;

/** How a list of sizes, in bytes, differs from the disks that are expected. */
export function differingDisks(sizes: readonly number[], expected: Expected): string[] {
  return (expected.disks ?? []).flatMap(({ minBytes, count }) => {
    const seen = sizes.filter((size) => size >= minBytes).length;
    return seen >= count ? [] : [`${count} disks of at least ${minBytes} bytes expected, ${seen} seen`];
  });
}

function differingCounts(
  seen: { cpus: number | null; memoryMiB: number | null; nics: number },
  expected: Expected,
): string[] {
  const found: string[] = [];
  if (expected.cpus !== undefined && seen.cpus !== null && seen.cpus !== expected.cpus) {
    found.push(`${expected.cpus} CPUs expected, ${seen.cpus} seen`);
  }
  const least = (expected.memoryMiB ?? 0) * (1 - MEMORY_TOLERANCE);
  if (seen.memoryMiB !== null && seen.memoryMiB < least) {
    found.push(`${expected.memoryMiB} MiB of memory expected, ${seen.memoryMiB} seen`);
  }
  if (expected.nics !== undefined && seen.nics < expected.nics) {
    found.push(`${expected.nics} network interfaces expected, ${seen.nics} seen`);
  }
  return found;
}

const compact = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** How a list of accelerator models differs from what is expected. */
export function gpuDifferences(models: readonly (string | null)[], expected: Expected): string[] {
  const wanted = expected.gpus;
  if (wanted === undefined) return [];
  const fitting = models.filter(
    (model) => wanted.model === undefined || compact(model ?? '').includes(compact(wanted.model)),
  );
  if (fitting.length === wanted.count && models.length === wanted.count) return [];
  const seen = models.length === 0 ? 'none' : models.map((model) => model ?? 'unknown').join(', ');
  return [
    `${wanted.count} GPUs${wanted.model === undefined ? '' : ` ${wanted.model}`} expected, seen: ${seen}`,
  ];
}

/** How the agent's view differs from what is expected. Accelerators count only where it tells them. */
export const hardwareDifferences = (hardware: AgentHardware, expected: Expected): string[] => [
  ...differingCounts(
    { ...hardware, nics: hardware.interfaces.filter((nic) => nic.mac !== null).length },
    expected,
  ),
  ...differingDisks(
    hardware.disks.map((disk) => disk.sizeBytes),
    expected,
  ),
  ...(hardware.gpus === null ? [] : gpuDifferences(hardware.gpus, expected)),
];

import type { EffectiveNode } from '../../../contracts/inventory/effective.ts';
import { gpuDifferences } from '../../../core/agent/expectations.ts';
import type { Inspection } from '../../../core/redfish/inspection.ts';

/** What later steps need of an inspection; small, since it travels in the operation's data. */
export interface InspectionDigest {
  readonly power: string;
  readonly health: string | null;
  readonly serialNumber: string | null;
  readonly bootMode: string | null;
  readonly threads: number | null;
  readonly memoryGiB: number | null;
  readonly gpus: readonly (string | null)[];
  readonly driveBytes: readonly (number | null)[];
  readonly macs: readonly string[];
  readonly unread: readonly string[];
}

/** The digest of an inspection. */
export function digestOf(inspection: Inspection): InspectionDigest {
  return {
    power: inspection.power,
    health: inspection.health,
    serialNumber: inspection.system.serialNumber,
    bootMode: inspection.boot.mode,
    threads: inspection.cpus.threads,
    memoryGiB: inspection.memory.totalGiB,
    gpus: inspection.gpus.slice(0, 64).map((gpu) => gpu.model),
    driveBytes: inspection.drives.slice(0, 128).map((drive) => drive.sizeBytes),
    macs: inspection.macs.slice(0, 64),
    unread: inspection.unread.slice(0, 32).map(({ part }) => part),
  };
}

/**
 * How a node differs from its contract, as far as its BMC tells. What a BMC does not show at all (many
 * show no GPU or no NVMe disk while the host is off) is no difference: the agent and the guest are asked too.
 */
export function contractDifferences(
  seen: InspectionDigest,
  node: EffectiveNode,
): { differences: string[]; untold: string[] } {
  const { expect } = node.machineType;
  const differences: string[] = [];
  const untold: string[] = [];

  if (expect.cpus !== undefined) {
    if (seen.threads === null) untold.push('CPU threads');
    else if (seen.threads !== expect.cpus)
      differences.push(`${expect.cpus} CPUs expected, ${seen.threads} seen`);
  }
  if (expect.memoryMiB !== undefined) {
    if (seen.memoryGiB === null) untold.push('memory');
    else if (seen.memoryGiB * 1024 < expect.memoryMiB * 0.95) {
      differences.push(`${expect.memoryMiB} MiB of memory expected, ${seen.memoryGiB} GiB seen`);
    }
  }
  if (expect.gpus !== undefined && expect.gpus.count > 0) {
    if (seen.gpus.length === 0) untold.push('GPUs');
    else differences.push(...gpuDifferences(seen.gpus, expect));
  }
  for (const { minBytes, count } of expect.disks ?? []) {
    if (seen.driveBytes.length === 0) untold.push('disks');
    else {
      const fitting = seen.driveBytes.filter((bytes) => bytes === null || bytes >= minBytes).length;
      if (fitting < count)
        differences.push(`${count} disks of at least ${minBytes} bytes expected, ${fitting} seen`);
    }
  }
  const missing = node.ports.filter(({ mac }) => !seen.macs.includes(mac)).map(({ mac }) => mac);
  if (missing.length > 0) {
    // A BMC that shows some of the ports may just not know the others; one that shows none of them is another's.
    const foreign = seen.macs.length > 0 && missing.length === node.ports.length;
    if (foreign)
      differences.push(`ports ${missing.join(', ')} expected, ${seen.macs.slice(0, 8).join(', ')} seen`);
    else untold.push(`ports ${missing.join(', ')}`);
  }
  return { differences, untold };
}

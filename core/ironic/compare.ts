/** What the contract expects of a server; fields left out are not compared. */
export interface Expected {
  readonly cpus?: number | undefined;
  readonly memoryMiB?: number | undefined;
  readonly gpus?: { readonly count: number } | undefined;
  readonly nics?: number | undefined;
  readonly disks?: readonly { readonly minBytes: number; readonly count: number }[] | undefined;
  readonly macs: readonly string[];
}

/** What Ironic's inspection found; undefined: it did not say. */
export interface Found {
  readonly cpus: number | undefined;
  readonly memoryMiB: number | undefined;
  readonly macs: readonly string[] | undefined;
  /** Sizes in bytes. */
  readonly disks: readonly number[] | undefined;
}

export interface Comparison {
  readonly differences: readonly string[];
  readonly compared: readonly string[];
  /** Expected by the contract, and not told by the inspection. */
  readonly skipped: readonly string[];
}

/** Compares what was found with the contract. What cannot be compared is named, never passed over. */
export function compareHardware(expected: Expected, found: Found): Comparison {
  const differences: string[] = [];
  const compared: string[] = [];
  const skipped: string[] = [];
  const check = <T>(name: string, wanted: boolean, seen: T | undefined, differs: (seen: T) => string[]) => {
    if (!wanted) return;
    if (seen === undefined) {
      skipped.push(name);
      return;
    }
    compared.push(name);
    differences.push(...differs(seen));
  };
  const { cpus, memoryMiB, nics, disks, macs } = expected;
  check('cpus', cpus !== undefined, found.cpus, (seen) =>
    seen >= cpus! ? [] : [`${seen} CPUs, not ${cpus}`],
  );
  check('memory', memoryMiB !== undefined, found.memoryMiB, (seen) =>
    seen >= memoryMiB! ? [] : [`${seen} MiB of memory, not ${memoryMiB}`],
  );
  check('nics', nics !== undefined, found.macs, (seen) =>
    seen.length >= nics! ? [] : [`${seen.length} network interfaces, not ${nics}`],
  );
  check('disks', disks !== undefined, found.disks, (seen) =>
    disks!.flatMap(({ minBytes, count }) => {
      const fitting = seen.filter((bytes) => bytes >= minBytes).length;
      return fitting >= count ? [] : [`${fitting} disks of at least ${minBytes} bytes, not ${count}`];
    }),
  );
  check('ports', macs.length > 0, found.macs, (seen) =>
    macs.filter((mac) => !seen.includes(mac)).map((mac) => `no network interface ${mac}`),
  );
  check('gpus', expected.gpus !== undefined, undefined, () => []);
  return { differences, compared, skipped };
}

import { quoted, shownWord, type Comparison } from './comparison.ts';
import { asText, at, textsOf } from './read.ts';

/** One boot option of the firmware. */
export interface BootOption {
  /** As the boot order names it: `Boot0003`. */
  readonly reference: string | null;
  /** As people see it: `UEFI: PXE IPv4 …`. */
  readonly name: string | null;
  /** Where it leads: `HD(1,GPT,…)/File(\EFI\…)`. */
  readonly path: string | null;
}

/** The variables that decide what a server boots; null: the BMC does not show that. */
export interface BootVariables {
  /** References, in order. */
  readonly order: readonly string[] | null;
  readonly options: readonly BootOption[] | null;
  /** What is set, not what the last boot was. */
  readonly secureBoot: boolean | null;
  /** What our account may not read. */
  readonly forbidden: readonly ('secure boot' | 'boot options')[];
}

export interface ExpectedBoot {
  readonly secureBoot?: boolean | undefined;
  readonly bootOptions?: readonly string[] | undefined;
}

/** Reads a boot option. */
export const readBootOption = (body: unknown): BootOption => ({
  reference: asText(at(body, 'BootOptionReference')) ?? asText(at(body, 'Id')),
  name: asText(at(body, 'DisplayName')),
  path: asText(at(body, 'UefiDevicePath')),
});

/**
 * Whether a device path leads into a partition of a disk of this machine, and begins as one that the agent removes.
 * What is only a text in a node is no partition.
 */
export function leadsToDisk(path: string): boolean {
  const node = /^((?:(?:PciRoot|VenHw|VenMsg|UsbClass)\([^()/]*\)\/(?:[A-Za-z]\w*\([^()/]*\)\/)*)?)HD\(/;
  const [, before] = node.exec(path) ?? [];
  return before !== undefined && !/\b(?:MAC|IPv[46]|iSCSI|Fibre\w*|Infiniband|NVMeoF)\(/i.test(before);
}

/** As the agent names the entries that it writes by itself. */
const OWN_NAME = /^ironic\d+$/;

/**
 * What is left to judge once the boot entries of disks were removed. Many BMCs know the options as they were at the
 * last POST, and there is none between: they go on showing those. An option that is expected is none of them.
 */
export function withoutRemoved(
  seen: BootVariables,
  { bootOptions: allowed = [] }: ExpectedBoot,
): { readonly rest: BootVariables; readonly stillShown: number } {
  const removed = (seen.options ?? []).filter(
    ({ reference, name, path }) =>
      (path === null ? OWN_NAME.test(name ?? '') : leadsToDisk(path)) &&
      !isAllowed(allowed, name ?? reference ?? '', reference ?? ''),
  );
  const gone = new Set(removed.map(({ reference }) => reference));
  const rest = {
    ...seen,
    order: seen.order?.filter((reference) => !gone.has(reference)) ?? null,
    options: seen.options?.filter((option) => !removed.includes(option)) ?? null,
  };
  return { rest, stillShown: removed.length };
}

const isAllowed = (allowed: readonly string[], name: string, reference: string): boolean =>
  allowed.some((pattern) => matchesName(pattern, name) || matchesName(pattern, reference));

/** The boot order of a system; null where it is not shown. */
export function readBootOrder(system: unknown): string[] | null {
  const order = at(system, 'Boot', 'BootOrder');
  return Array.isArray(order) ? textsOf(order) : null;
}

/** Whether a name is the one that is written, in which `*` stands for any text. Linear in the name. */
export function matchesName(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.trim().split('*');
  const text = name.trim();
  if (rest.length === 0) return text === head;
  const tail = rest.at(-1)!;
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = head.length;
  const end = text.length - tail.length;
  for (const part of rest.slice(0, -1)) {
    const found = text.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

/**
 * What stands in the boot order. Where no order is shown, every option counts: firmware that has one may
 * boot it. A reference without an option is its own name, as with BMCs that order devices.
 */
function standing({ order, options }: BootVariables): { reference: string; name: string }[] | null {
  if (order === null) {
    if (options === null) return null;
    return options.map(({ reference, name }) => ({
      reference: reference ?? '',
      name: name ?? reference ?? '',
    }));
  }
  return order.map((reference) => ({
    reference,
    name: options?.find((option) => option.reference === reference)?.name ?? reference,
  }));
}

/** How the boot variables differ from what the machine type says of them. */
export function bootDifferences(seen: BootVariables, expected: ExpectedBoot): Comparison {
  const differences: string[] = [];
  const untold: string[] = [];
  const forbidden: string[] = [];
  if (expected.secureBoot !== undefined) {
    const words = (on: boolean): string => (on ? 'enabled' : 'disabled');
    if (seen.forbidden.includes('secure boot')) forbidden.push('secure boot');
    else if (seen.secureBoot === null) untold.push('secure boot');
    else if (seen.secureBoot !== expected.secureBoot) {
      differences.push(
        `secure boot is ${words(seen.secureBoot)}, and ${words(expected.secureBoot)} expected`,
      );
    }
  }
  if (expected.bootOptions !== undefined) {
    const allowed = expected.bootOptions;
    const found = standing(seen);
    if (seen.forbidden.includes('boot options')) forbidden.push('boot options');
    else if (found === null) untold.push('boot options');
    for (const { reference, name } of found ?? []) {
      if (isAllowed(allowed, name, reference)) continue;
      const where = reference === '' || reference === name ? '' : `${shownWord(reference)} `;
      differences.push(`boot option ${where}${quoted(name)} is not among those of the machine type`);
    }
  }
  return { differences, untold, forbidden };
}

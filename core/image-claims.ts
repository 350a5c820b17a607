import type { Partition, PartitionTable } from './partition-table.ts';

/** What the contract claims of an image, as far as a partition table can contradict it. */
export interface ImageClaims {
  readonly architecture?: 'x86_64' | 'aarch64' | undefined;
  readonly bootMode?: 'uefi' | 'bios' | undefined;
}

const ESP = ['c12a7328-f81f-11d2-ba4b-00a0c93ec93b', '0xef'];
/** Types of partitions that only one architecture has: the Discoverable Partitions Specification, `/` and `/usr`. */
const OF_ARCHITECTURE: { readonly [type: string]: 'x86_64' | 'aarch64' } = {
  '4f68bce3-e8cd-4db1-96e7-fbcaf984b709': 'x86_64',
  '8484680c-9521-48c6-9c11-b0720656f69e': 'x86_64',
  'b921b045-1df0-41c3-af44-4c6f280d3fae': 'aarch64',
  'b0e01050-ee5f-4390-949a-9101b17104e9': 'aarch64',
};

const isEsp = ({ type }: Partition): boolean => ESP.includes(type);

/** The architectures that a table tells by the types of its partitions. */
export const architecturesOf = ({ partitions }: PartitionTable): ('x86_64' | 'aarch64')[] => [
  ...new Set(partitions.flatMap(({ type }) => OF_ARCHITECTURE[type] ?? [])),
];

/**
 * What a partition table contradicts; empty where it contradicts nothing.
 *
 * @param size bytes of the disk that the image is; undefined where nobody says
 */
export function claimProblems(
  { architecture, bootMode }: ImageClaims,
  table: PartitionTable,
  size: number | undefined,
): string[] {
  const found: string[] = [];
  if (table.partitions.length === 0) return ['has a partition table without a partition'];
  const end = Math.max(...table.partitions.map((each) => each.end));
  if (size !== undefined && end > size) {
    found.push(`is cut short: its last partition ends at byte ${end}, and the disk at ${size}`);
  }
  if (bootMode === 'uefi' && !table.partitions.some(isEsp)) {
    found.push('has no EFI system partition, and the contract says that it boots by uefi');
  }
  if (bootMode === 'bios' && !table.bootCode) {
    found.push('has no boot code in its first sector, and the contract says that it boots by bios');
  }
  const told = architecturesOf(table);
  if (architecture !== undefined && told.length > 0 && !told.includes(architecture)) {
    found.push(`has partitions of ${told.join(', ')}, and the contract says ${architecture}`);
  }
  return found;
}

/** What was seen of a table, for people. */
export function tableWords(table: PartitionTable): string {
  const told = architecturesOf(table);
  return [
    `${table.kind.toUpperCase()} of ${table.partitions.length}`,
    table.partitions.some(isEsp) ? 'with an EFI system partition' : 'without an EFI system partition',
    ...(told.length > 0 ? [`for ${told.join(', ')}`] : []),
  ].join(' ');
}

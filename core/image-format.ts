/** As much of an image as its format is told by. */
export const IMAGE_HEAD_BYTES = 1024;

const begins = (head: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

const QCOW2 = [0x51, 0x46, 0x49, 0xfb];
/** What is sometimes taken for a raw image, and would be written as it is. */
const NOT_RAW: readonly (readonly [string, readonly number[]])[] = [
  ['qcow2', QCOW2],
  ['gzip', [0x1f, 0x8b]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['vmdk', [0x4b, 0x44, 0x4d, 0x56]],
];
/** A bit of the header's incompatible features. */
const EXTERNAL_DATA = 4;

/** Why bytes are not a whole-disk image of this format, by their beginning; undefined where they can be. */
export function imageProblem(format: 'raw' | 'qcow2', head: Uint8Array): string | undefined {
  return format === 'raw' ? rawProblem(head) : qcow2Problem(head);
}

function rawProblem(head: Uint8Array): string | undefined {
  const other = NOT_RAW.find(([, bytes]) => begins(head, bytes))?.[0];
  if (other !== undefined) return `is ${other}, and the contract calls it raw`;
  if (head[510] === 0x55 && head[511] === 0xaa) return undefined;
  return 'has no partition table: a whole disk is wanted';
}

/**
 * Bytes of a disk that an image takes once it is written.
 *
 * @param head the first bytes of an image without problems
 * @param size bytes of its file; undefined where its source does not tell
 */
export function writtenBytes(
  format: 'raw' | 'qcow2',
  head: Uint8Array,
  size: number | undefined,
): number | undefined {
  if (format === 'raw') return size;
  if (head.length < 32) return undefined;
  // The virtual size, as the format's specification has it: big-endian, at byte 24.
  return Number(new DataView(head.buffer, head.byteOffset, head.byteLength).getBigUint64(24));
}

/** An image that reads other files is only a part of one, and the files of the host that converts it are not its own. */
function qcow2Problem(head: Uint8Array): string | undefined {
  if (!begins(head, QCOW2)) return 'is not qcow2, as the contract calls it';
  if (head.length < 104) return 'is cut short';
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const version = view.getUint32(4);
  if (version !== 2 && version !== 3) return `is qcow2 of the unknown version ${version}`;
  if (view.getBigUint64(8) !== 0n) return 'has a backing file: it is not the whole image';
  if (view.getBigUint64(24) === 0n) return 'holds a disk of 0 bytes';
  if (view.getUint32(32) !== 0) return 'is encrypted';
  if (version === 3 && (view.getUint32(76) & EXTERNAL_DATA) !== 0) return 'has its data in another file';
  return undefined;
}

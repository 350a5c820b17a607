import { fail } from '../errors/failure.ts';

/** The first line of the reserved area. Wherever it stands in a base ISO, a whole area must lie. */
export const MEDIA_MARKER = '#RACKWRIGHT-PARAMETERS#';
/** Bytes of the reserved area: the whole of `/parameters.txt`. */
export const RESERVED_BYTES = 4096;
export const PARAMETERS_PATH = 'parameters.txt';
export const MEDIA_LABEL = 'ir-vfd-dev';

/** The reserved area as it is built: the marker line, and room for the parameters. */
export function blankArea(): Uint8Array {
  const area = new Uint8Array(RESERVED_BYTES).fill(0x0a);
  area.set(new TextEncoder().encode(MEDIA_MARKER));
  return area;
}

export const isBlankArea = (bytes: Uint8Array): boolean => {
  const blank = blankArea();
  return bytes.length === blank.length && bytes.every((byte, at) => byte === blank[at]);
};

/** The reserved area with the parameters of one boot: `key=value` lines, padded with newlines to 4096 bytes. */
export function parametersArea(parameters: { readonly [key: string]: string }): Uint8Array {
  const lines = Object.entries(parameters).map(([key, value]) => {
    if (!/^[a-z][a-z0-9-]*$/.test(key) || !/^[\x21-\x7e]+$/.test(value)) {
      throw fail('MEDIA_BASE_INVALID', `Parameter ${key.slice(0, 40)} cannot be written to the media.`);
    }
    return `${key}=${value}\n`;
  });
  const bytes = new TextEncoder().encode(lines.join(''));
  if (bytes.length > RESERVED_BYTES) {
    throw fail(
      'MEDIA_BASE_INVALID',
      `The parameters have ${bytes.length} bytes; ${RESERVED_BYTES} are reserved.`,
    );
  }
  const area = new Uint8Array(RESERVED_BYTES).fill(0x0a);
  area.set(bytes);
  return area;
}

/** A piece of the ISO that begins at `offset`, with the part of it that lies in the reserved area replaced. */
export function patched(piece: Uint8Array, offset: number, areaAt: number, area: Uint8Array): Uint8Array {
  const from = Math.max(offset, areaAt);
  const to = Math.min(offset + piece.length, areaAt + area.length);
  if (from >= to) return piece;
  const copy = Uint8Array.from(piece);
  copy.set(area.subarray(from - areaAt, to - areaAt), from - offset);
  return copy;
}

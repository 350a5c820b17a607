import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import { formsOf, type Canary } from './forms.ts';

/** A secret that was found. */
export interface Leak {
  readonly canary: string;
  readonly form: string;
  /** Where, from the outside in: `logs/worker.log > gzip`. */
  readonly place: string;
}

interface Needle {
  readonly canary: string;
  readonly form: string;
  readonly bytes: Buffer;
}

const SLOTS = 1 << 20;
const DEEPEST = 4;
const LARGEST = 64 * 1024 * 1024;
const MAGIC_GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
/** Base64 of something that may be packed or encoded once more. */
const BASE64 = /[A-Za-z0-9+/_-]{32,}={0,2}/g;

const hashAt = (bytes: Buffer, at: number): number =>
  ((((bytes[at]! * 31 + bytes[at + 1]!) * 31 + bytes[at + 2]!) * 31 + bytes[at + 3]!) * 2_654_435_761) %
  SLOTS;

/** Looks for many secrets in all their forms at once, also in what is packed or encoded within. */
export class Scanner {
  readonly #slots = new Uint8Array(SLOTS);
  readonly #needles = new Map<number, Needle[]>();

  constructor(canaries: readonly Canary[]) {
    for (const { name, bytes } of canaries) {
      for (const form of formsOf(bytes)) this.#add({ canary: name, form: form.name, bytes: form.bytes });
    }
  }

  /** Every secret in these bytes, each once for a form and place. */
  scan(place: string, bytes: Uint8Array): Leak[] {
    const found = new Map<string, Leak>();
    this.#look(place, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, found);
    return [...found.values()];
  }

  #add(needle: Needle): void {
    const hash = hashAt(needle.bytes, 0);
    this.#slots[hash] = 1;
    this.#needles.set(hash, [...(this.#needles.get(hash) ?? []), needle]);
  }

  #look(place: string, bytes: Buffer, depth: number, found: Map<string, Leak>): void {
    for (let at = 0; at + 4 <= bytes.length; at++) {
      const hash = hashAt(bytes, at);
      if (this.#slots[hash] === 0) continue;
      for (const { canary, form, bytes: needle } of this.#needles.get(hash)!) {
        if (bytes.compare(needle, 0, needle.length, at, Math.min(at + needle.length, bytes.length)) !== 0)
          continue;
        found.set(`${canary}/${form}/${place}`, { canary, form, place });
      }
    }
    if (depth === DEEPEST) return;
    for (const [how, inner] of insideOf(bytes)) this.#look(`${place} > ${how}`, inner, depth + 1, found);
  }
}

/** What is packed or encoded within these bytes. Archives (tar, ISO9660) hold their files as they are. */
function* insideOf(bytes: Buffer): Generator<[string, Buffer]> {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: LARGEST };
  for (let at = bytes.indexOf(MAGIC_GZIP); at >= 0; at = bytes.indexOf(MAGIC_GZIP, at + 1)) {
    const inner = attempt(() => inflateRawSync(bytes.subarray(at + headOf(bytes.subarray(at))), options));
    if (inner !== undefined && inner.length > 0) yield ['gzip', inner];
  }
  if (bytes[0] === 0x78) {
    const inner = attempt(() => inflateSync(bytes, options));
    if (inner !== undefined && inner.length > 0) yield ['zlib', inner];
  }
  // Of base64 only what is packed or base64 again is new: the rest was looked for in that form.
  for (const [text] of bytes.toString('latin1').matchAll(BASE64)) {
    const inner = Buffer.from(text, 'base64');
    if (inner.includes(MAGIC_GZIP)) yield ['base64', inner];
    else if (/^[A-Za-z0-9+/_=-]{32,}$/.test(inner.toString('latin1'))) yield ['base64', inner];
  }
}

/** The length of a gzip header. What follows the stream is left alone by a raw inflate, and by no gunzip. */
function headOf(bytes: Buffer): number {
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + bytes.readUInt16LE(at);
  for (const named of [flags & 8, flags & 16]) if (named) at = bytes.indexOf(0, at) + 1;
  return flags & 2 ? at + 2 : at;
}

function attempt(unpack: () => Buffer): Buffer | undefined {
  try {
    return unpack();
  } catch {
    return undefined;
  }
}

import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import {
  digestProblem,
  gone,
  isGone,
  placeWords,
  promotionProblem,
  readBounds,
  smallestFirst,
  tooLong,
  type Recorded,
} from '../../../core/image-digest.ts';
import { imageSize } from '../../agent/image-source.ts';
import { readImage, type ImageRead } from '../../images/image-bytes.ts';
import { eachTarget, type CheckContext, type CheckFunction, type Wrong } from '../check.ts';
import { noImages, takenImages, type Taken } from './taken.ts';

interface Patience {
  /** What any source is given, beside the time that its size takes. @default 120000 */
  readonly graceMs?: number;
  /** The pause before a source is asked again. @default 2000 */
  readonly againMs?: number;
}

type Target = Taken & { readonly announced: number | undefined; readonly size: number | undefined };

/** Reads whole images, one after the other, and compares them with what is recorded of them. */
export const digestCheck = ({ graceMs = 120_000, againMs }: Patience = {}): CheckFunction => ({
  skip: noImages,

  run: async (context) => {
    const taken = await takenImages(context.inventory, context.site);
    const targets = await Promise.all(
      taken.map(async (each): Promise<Target> => {
        const announced = await announcedSize(each, context.signal);
        return { ...each, announced, size: each.bytes.size ?? announced };
      }),
    );
    return eachTarget(
      context,
      'image-supply',
      smallestFirst(targets),
      (target) => look(context, target, graceMs),
      { atOnce: 1, ...(againMs === undefined ? {} : { againMs }) },
    );
  },
});

export const imageDigests = digestCheck();

/** What the source says of itself, to know how long it may take; what keeps it from saying is told when it is read. */
const announcedSize = (taken: Taken, signal: AbortSignal): Promise<number | undefined> =>
  imageSize(taken.bytes, signal).catch(() => undefined);

async function look(
  context: CheckContext,
  { name, image, version, bytes, announced }: Target,
  graceMs: number,
) {
  const { url, checksum, size } = bytes;
  const recorded: Recorded = { name, url, checksum, size, version };
  const seen = await readWhole(context, recorded, readBounds(size, announced, graceMs));
  const wrong = [
    'read' in seen ? digestProblem(recorded, seen.read) : seen.wrong,
    version && promotionProblem(image, version),
  ].filter((each) => each !== undefined);
  const evidence = await context.evidence(name, {
    asked: `every byte of ${placeWords(url)}`,
    answer: {
      recorded: { checksum, size: size ?? null, version: version?.version ?? null },
      contract: image.checksum,
      read:
        'read' in seen
          ? { checksum: seen.read.checksum, size: seen.read.size }
          : { wrong: seen.wrong.message },
    },
  });
  const found = wrong.length > 0 ? { wrong } : { right: 'every byte is as it was recorded' };
  return { found, evidence: [evidence] };
}

/** Reads an image to its end, which has to come. What keeps it from being read is thrown: it says nothing of the bytes. */
async function readWhole(
  { signal, progress }: CheckContext,
  recorded: Recorded,
  bounds: ReturnType<typeof readBounds>,
): Promise<{ readonly read: ImageRead } | { readonly wrong: Wrong }> {
  const { name, url, size } = recorded;
  const late = bounds.ms === undefined ? undefined : AbortSignal.timeout(bounds.ms);
  const noEnd = fail('IMAGE_SOURCE_UNREACHABLE', `Image ${name} has no end after ${bounds.bytes} bytes.`, {
    retryable: false,
    correction: `Have ${placeWords(url)} say how long it is, or write \`size\` of image ${name} into the contract.`,
  });
  let bytes = 0;
  const each = async (piece: Uint8Array): Promise<void> => {
    bytes += piece.length;
    if (bytes > bounds.bytes) throw noEnd;
    progress?.({ image: name, read: bytes, of: size ?? null });
  };
  try {
    return { read: await readImage({ name, url }, each, late ? AbortSignal.any([signal, late]) : signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (error === noEnd && size !== undefined) return { wrong: tooLong({ ...recorded, size }) };
    if (late?.aborted) throw tooSlow(recorded, bytes, bounds.ms!);
    if (error instanceof RackwrightError && isGone(error.failure.details))
      return { wrong: gone(recorded, error.message) };
    throw error;
  }
}

const tooSlow = ({ name, url }: Recorded, bytes: number, ms: number): Error =>
  fail(
    'IMAGE_SOURCE_UNREACHABLE',
    `Image ${name} did not come to its end in ${Math.ceil(ms / 1000)} seconds: ${bytes} bytes of it came.`,
    {
      retryable: false,
      correction: `Look why ${placeWords(url)} is that slow: deployments read it, too.`,
    },
  );

import { claimProblems, tableWords } from '../../../core/image-claims.ts';
import { gone, isGone, placeWords } from '../../../core/image-digest.ts';
import { imageProblem, writtenBytes } from '../../../core/image-format.ts';
import { readPartitionTable, TABLE_BYTES } from '../../../core/partition-table.ts';
import { RackwrightError } from '../../../core/errors/failure.ts';
import { imageHead, imageSize } from '../../agent/image-source.ts';
import { eachTarget, type CheckContext, type CheckFunction, type Look, type Wrong } from '../check.ts';
import { qcow2Beginning } from './qemu-img.ts';
import { noImages, takenImages, type Taken } from './taken.ts';

const HEAD_MS = 20_000;

/**
 * Looks at the beginning of each image: its format, its size once it is written, its partition table.
 */
export const formatCheck = ({ againMs }: { readonly againMs?: number } = {}): CheckFunction => ({
  skip: noImages,

  run: async (context) => {
    const left = new Set<string>();
    const taken = await takenImages(context.inventory, context.site);
    const result = await eachTarget(
      context,
      'image-supply',
      taken,
      (each) => look(context, each, left),
      againMs === undefined ? {} : { againMs },
    );
    // Whatever was seen: nobody should take it for more.
    const not = [...left, 'cloud-init, which the first boot of gate 7 shows'];
    return { ...result, summary: `${result.summary}; not looked into: ${not.join('; ')}` };
  },
});

export const imageFormat = formatCheck();

interface Seen {
  readonly problems: readonly string[];
  /** Bytes of the disk that it is; undefined where nobody says. */
  readonly disk?: number | undefined;
  readonly table?: string;
  /** What could not be looked into. */
  readonly left?: string;
}

async function look(context: CheckContext, taken: Taken, left: Set<string>) {
  const { name, bytes } = taken;
  let seen: Seen;
  try {
    seen = await beginning(taken, context.signal);
  } catch (error) {
    if (!(error instanceof RackwrightError) || !isGone(error.failure.details)) throw error;
    return { found: { wrong: [gone({ ...bytes, version: taken.version }, error.message)] } };
  }
  if (seen.left !== undefined) left.add(seen.left);
  const { architecture = null, bootMode = null } = taken.image;
  const evidence = await context.evidence(name, {
    asked: `the beginning of ${placeWords(bytes.url)}`,
    answer: {
      contract: { format: bytes.format, architecture, bootMode },
      disk: seen.disk ?? null,
      table: seen.table ?? null,
      problems: [...seen.problems],
      notLookedInto: seen.left ?? null,
    },
  });
  return { found: judged(taken, seen), evidence: [evidence] };
}

const judged = ({ name, image, bytes }: Taken, { problems, disk, table }: Seen): Look =>
  problems.length === 0
    ? {
        right: [bytes.format, disk === undefined ? '' : `${disk} bytes of disk`, table]
          .filter(Boolean)
          .join(', '),
      }
    : {
        wrong: problems.map((problem): Wrong => ({
          message: `Image ${name} ${problem}.`,
          correction: `Correct the entry of image ${name} in the contract, or put a whole-disk image that fits it at ${placeWords(image.url)}.`,
        })),
      };

/** What the beginning of an image tells. Throws IMAGE_SOURCE_UNREACHABLE. */
async function beginning({ image, bytes }: Taken, signal: AbortSignal): Promise<Seen> {
  const head = await imageHead(bytes, signal, HEAD_MS, TABLE_BYTES);
  const problem = imageProblem(bytes.format, head);
  if (problem !== undefined) return { problems: [problem] };
  // Not every server tells.
  const size = bytes.size ?? (await imageSize(bytes, signal).catch(() => undefined));
  signal.throwIfAborted();
  const disk = writtenBytes(bytes.format, head, size);
  const inside =
    bytes.format === 'raw' ? { start: head } : await qcow2Beginning(bytes.url, TABLE_BYTES, signal);
  if ('left' in inside) return { problems: [], disk, left: inside.left };
  if ('problem' in inside) return { problems: [inside.problem], disk };
  const table = readPartitionTable(inside.start);
  if (table === undefined) return { problems: ['has no partition table that can be read'], disk };
  if (table === 'elsewhere')
    return {
      problems: [],
      disk,
      left: `the partition table of ${image.name}, which is not at its usual place`,
    };
  return { problems: claimProblems(image, table, disk), disk, table: tableWords(table) };
}

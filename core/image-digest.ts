import type { ImageVersion } from './images.ts';

/** What is wrong, and what corrects it. */
interface Wrong {
  readonly message: string;
  readonly correction: string;
}

/** What is recorded of the bytes that deployments of an image take. */
export interface Recorded {
  readonly name: string;
  readonly url: string;
  readonly checksum: string;
  readonly size?: number | undefined;
  /** Where they are a promoted version. */
  readonly version?: Pick<ImageVersion, 'version' | 'kept'> | undefined;
}

/** An image of the contract, as far as it can differ from its promoted version. */
interface Contracted {
  readonly name: string;
  readonly checksum: string;
  readonly format: string;
}

/** Where bytes lie, for people: the query of an URL may be a signature. */
export function placeWords(url: string): string {
  if (!/^(https?|file):/i.test(url)) return url;
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'file:' ? decodeURIComponent(pathname) : `${origin}${pathname}`;
}

/** What gives the recorded bytes back. */
function correctionOf({ name, url, version }: Recorded): string {
  const place = placeWords(url);
  if (version === undefined) {
    return `Restore image ${name} at ${place}; if the new bytes are wanted, write their checksum into the contract.`;
  }
  const restore = version.kept
    ? `\`rackwright image promote ${name}\` copies the image of the contract again`
    : `Restore these bytes at ${place}, or \`rackwright image promote ${name}\``;
  return `${restore}; \`rackwright image rollback ${name}\` goes back to the version before.`;
}

const recordOf = ({ version }: Recorded): string =>
  version === undefined ? 'in the contract' : `recorded as version ${version.version}`;

/** Why the bytes that were read are not those that were recorded; undefined where they are. */
export function digestProblem(
  recorded: Recorded,
  read: { readonly checksum: string; readonly size: number },
): Wrong | undefined {
  const { name, url, checksum, size } = recorded;
  const place = placeWords(url);
  if (read.checksum !== checksum) {
    return {
      message: `Image ${name} has ${read.checksum} (${read.size} bytes) at ${place}, and ${checksum} is ${recordOf(recorded)}.`,
      correction: correctionOf(recorded),
    };
  }
  if (size === undefined || size === read.size) return undefined;
  return {
    message: `Image ${name} has its checksum, and ${read.size} bytes; ${size} are ${recordOf(recorded)}.`,
    correction: `Correct \`size\` of image ${name} in the contract: ${read.size}.`,
  };
}

/** There is no end where the recorded bytes have theirs. */
export const tooLong = (recorded: Recorded & { readonly size: number }): Wrong => ({
  message: `Image ${recorded.name} has more bytes at ${placeWords(recorded.url)} than the ${recorded.size} that are ${recordOf(recorded)}.`,
  correction: correctionOf(recorded),
});

/** There is nothing where the recorded bytes should be. */
export const gone = (recorded: Recorded, message: string): Wrong => ({
  message,
  correction:
    recorded.version === undefined
      ? `Put image ${recorded.name} there, or correct its \`url\` in the contract.`
      : correctionOf(recorded),
});

/** Why the promoted version is not what the contract asks for; undefined where it is. */
export function promotionProblem(image: Contracted, version: ImageVersion): Wrong | undefined {
  const { name, checksum, format } = image;
  if (checksum === version.checksum && format === version.format) return undefined;
  const [says, takes] =
    checksum === version.checksum
      ? [format as string, version.format as string]
      : [checksum, version.checksum];
  return {
    message: `The contract has ${says} for image ${name}; deployments take version ${version.version}, ${takes}.`,
    correction: `\`rackwright image promote ${name}\` has deployments take the contract's; or write those of version ${version.version} into the contract.`,
  };
}

/** Whether a failure to read an image says for certain that it is not there. */
export const isGone = (details: { readonly [key: string]: unknown } | undefined): boolean =>
  [404, 410].includes(Number(details?.['status'])) ||
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(details?.['reason']));

/** A source that is slower than this, bytes a second, does not come to an end in any time that a deployment has. */
const SLOWEST = 10_000_000;
/** More than this is no image, where nobody says how long it is. */
const LONGEST = 1_000_000_000_000;

/** How far an image is read, and how long that may take; undefined where nobody says how long it is. */
export const readBounds = (
  recorded: number | undefined,
  announced: number | undefined,
  graceMs: number,
): { readonly bytes: number; readonly ms: number | undefined } => {
  const size = Math.max(recorded ?? 0, announced ?? 0);
  return {
    bytes: recorded ?? LONGEST,
    ms: size === 0 ? undefined : graceMs + Math.ceil((size / SLOWEST) * 1000),
  };
};

const rank = ({ size }: { readonly size: number | undefined }): number => size ?? Number.MAX_SAFE_INTEGER;

/** The smallest image first; those that nobody knows the size of come last. */
export const smallestFirst = <T extends { readonly size: number | undefined }>(images: readonly T[]): T[] =>
  [...images].sort((a, b) => rank(a) - rank(b));

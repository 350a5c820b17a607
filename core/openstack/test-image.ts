import type { Found } from './found.ts';
import { field, items, text } from './read.ts';

/** By these a test image is known again as one of ours, when what made it was killed. */
export const TEST_TAG = 'rackwright-acceptance';
const OF_SITE = 'rackwright_site';

/** An image as Glance tells it. */
export interface ImageRow {
  readonly id: string;
  readonly status: string;
  readonly size: number | undefined;
  readonly checksum: string;
  readonly hashAlgorithm: string;
  readonly hash: string;
}

/** What a test image is made with. Its bytes are of no use to anybody, and nobody else sees it. */
export const testImage = (site: string, run: string): object => ({
  name: `${TEST_TAG}-${site}`,
  disk_format: 'raw',
  container_format: 'bare',
  visibility: 'private',
  tags: [TEST_TAG],
  [OF_SITE]: site,
  rackwright_run: run,
});

/** The ids of those that runs of this site left; tag, name and property have to agree. */
export const leftImages = (site: string, rows: readonly unknown[]): string[] =>
  rows
    .filter(
      (row) =>
        items(field(row, 'tags')).includes(TEST_TAG) &&
        text(field(row, 'name')) === `${TEST_TAG}-${site}` &&
        text(field(row, OF_SITE)) === site &&
        text(field(row, 'visibility')) === 'private',
    )
    .map((row) => text(field(row, 'id')))
    .filter((id) => id !== '');

export const readImage = (body: unknown): ImageRow => {
  const size = field(body, 'size');
  return {
    id: text(field(body, 'id')),
    status: text(field(body, 'status')),
    size: typeof size === 'number' ? size : undefined,
    checksum: text(field(body, 'checksum')),
    hashAlgorithm: text(field(body, 'os_hash_algo')),
    hash: text(field(body, 'os_hash_value')),
  };
};

/** Whether there is more to wait for. */
export const isOnItsWay = ({ status }: ImageRow): boolean =>
  ['saving', 'importing', 'uploading'].includes(status);

/** What was sent, by its digests: MD5, and the one that Glance says it has; undefined: an algorithm nobody has. */
export interface Sent {
  readonly size: number;
  digest(algorithm: string): string | undefined;
}

const STORE =
  "Look at glance-api's log and at the health of its store; nothing that it keeps is to be relied on.";

/** Whether Glance has, by what it says itself, what it was given. */
export function judgeStored(image: ImageRow, sent: Sent): Found[] {
  if (image.status !== 'active')
    return [
      {
        message: `Glance took ${sent.size} bytes, and the image is ${image.status || 'in no state'}, not active.`,
        correction: STORE,
      },
    ];
  const wrong: Found[] = [];
  if (image.size !== sent.size)
    wrong.push({
      message: `Glance was given ${sent.size} bytes, and says that it has ${image.size ?? 'none'}.`,
      correction: STORE,
    });
  for (const [what, algorithm, told] of [
    ['checksum', 'md5', image.checksum],
    [`os_hash_value (${image.hashAlgorithm})`, image.hashAlgorithm, image.hash],
  ] as const) {
    const own = told === '' ? undefined : sent.digest(algorithm);
    if (own !== undefined && own !== told)
      wrong.push({ message: `The ${what} that Glance tells is that of other bytes.`, correction: STORE });
  }
  return wrong;
}

/** Whether what came back is what was sent. */
export function judgeReturned(sent: Uint8Array, returned: Uint8Array): Found | undefined {
  const length = Math.min(sent.length, returned.length);
  let at = 0;
  while (at < length && sent[at] === returned[at]) at++;
  if (at === length && sent.length === returned.length) return undefined;
  return {
    message:
      at === length
        ? `Glance was given ${sent.length} bytes, and gives back ${returned.length}.`
        : `Glance gives back other bytes than it was given, from byte ${at} of ${sent.length} on.`,
    correction: STORE,
  };
}

/** What a refusal to keep the bytes means; undefined: it is none. */
export function judgeRefused(status: unknown, said: string): Found | undefined {
  if (status !== 413) return undefined;
  return {
    message: `Glance does not store the image: ${said === '' ? 'it is refused with 413' : said}`,
    correction: /quota|limit/i.test(said)
      ? 'Raise the quota of the project of `openstack.credentials` (image_size_total, or user_storage_quota of Glance), or remove images that nobody needs.'
      : 'Make room in the store of Glance: remove images that nobody needs, or add disks.',
  };
}

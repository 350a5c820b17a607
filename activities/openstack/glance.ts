import { createHash, getHashes } from 'node:crypto';
import { isImageId, type GlanceImage } from '../../core/openstack/images.ts';
import { field } from '../../core/openstack/read.ts';
import type { OpenStack } from './client.ts';

/** What any image is given beside the time that its size takes, at 10 MB/s. */
const GRACE_MS = 120_000;
const BYTES_A_MS = 10_000;
/** Where Glance says not how long an image is. */
const UNKNOWN = 100_000_000_000;

const bodyMs = (size = UNKNOWN): number => GRACE_MS + Math.ceil(size / BYTES_A_MS);

/** What Glance lists only to whoever asks for it. */
const UNLISTED = ['visibility=community', 'os_hidden=true', 'visibility=community&os_hidden=true'];

/**
 * The images of this id, or else of this name: of those that Glance lists to its user by itself, or else of those that
 * are hidden, or of the community. Anybody may add such a one of any name, which never stands for one that is listed.
 */
export async function imagesNamed(cloud: OpenStack, name: string): Promise<readonly unknown[]> {
  if (isImageId(name)) {
    const found = await cloud.find('image', `/v2/images/${name}`);
    if (found !== undefined) return [found];
  }
  const path = `/v2/images?name=${encodeURIComponent(name)}`;
  const listed = await cloud.list('image', path, 'images');
  if (listed.length > 0) return listed;
  const found = new Map<unknown, unknown>();
  for (const query of UNLISTED) {
    for (const image of await cloud.list('image', `${path}&${query}`, 'images'))
      found.set(field(image, 'id'), image);
  }
  return [...found.values()];
}

/**
 * The SHA-256 of every byte of an image that Glance gives out. What it recorded when the bytes came is no more than
 * what they were then.
 *
 * @param each is told how many bytes have come
 * @returns `own` where the digest that Glance recorded is not that of the bytes: what the bytes have
 */
export async function digestOf(
  cloud: OpenStack,
  image: GlanceImage,
  each: (bytes: number) => void = () => undefined,
): Promise<{ readonly digest: string; readonly own?: string }> {
  const hash = createHash('sha256');
  const known = getHashes().includes(image.hashAlgorithm);
  const second = known ? createHash(image.hashAlgorithm) : undefined;
  let bytes = 0;
  for await (const piece of cloud.bytes('image', `/v2/images/${image.id}/file`, {
    timeoutMs: bodyMs(image.size),
  })) {
    hash.update(piece);
    second?.update(piece);
    bytes += piece.length;
    each(bytes);
  }
  const own = second?.digest('hex');
  const differs = own !== undefined && own !== image.hash.toLowerCase();
  return { digest: `sha256:${hash.digest('hex')}`, ...(differs ? { own } : {}) };
}

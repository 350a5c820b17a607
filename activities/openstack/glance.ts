import { createHash, getHashes } from 'node:crypto';
import { isImageId, toldDigest, type GlanceImage } from '../../core/openstack/images.ts';
import type { OpenStack } from './client.ts';

/** What any image is given beside the time that its size takes, at 10 MB/s. */
const GRACE_MS = 120_000;
const BYTES_A_MS = 10_000;
/** Where Glance says not how long an image is. */
const UNKNOWN = 100_000_000_000;

const bodyMs = (size = UNKNOWN): number => GRACE_MS + Math.ceil(size / BYTES_A_MS);

/** The images of this id, or else of this name. */
export async function imagesNamed(cloud: OpenStack, name: string): Promise<readonly unknown[]> {
  if (isImageId(name)) {
    const found = await cloud.find('image', `/v2/images/${name}`);
    if (found !== undefined) return [found];
  }
  return cloud.list('image', `/v2/images?name=${encodeURIComponent(name)}`, 'images');
}

/**
 * The SHA-256 of an image: as Glance recorded it when the bytes came, else of every byte that Glance gives out.
 *
 * @param each is told how many bytes have come
 * @returns `own` where Glance's own digest is of another kind and not that of the bytes: what the bytes have
 */
export async function digestOf(
  cloud: OpenStack,
  image: GlanceImage,
  each: (bytes: number) => void = () => undefined,
): Promise<{ readonly digest: string; readonly by: 'os_hash_value' | 'every byte'; readonly own?: string }> {
  const told = toldDigest(image);
  if (told !== undefined) return { digest: told, by: 'os_hash_value' };
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
  return { digest: `sha256:${hash.digest('hex')}`, by: 'every byte', ...(differs ? { own } : {}) };
}

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Cloud } from '../cloud.ts';
import { uuidOf } from '../state.ts';
import { newImage, upload } from './images.ts';

export const DEPLOY_RAMDISK = 'deploy-ramdisk';
/** What nodes are deployed with; their ids are those that the nodes name. */
const DEPLOY_IMAGES: readonly (readonly [name: string, format: string])[] = [
  ['deploy-kernel', 'aki'],
  [DEPLOY_RAMDISK, 'ari'],
];

/** Nothing boots it: the bytes only have to be the same each time. */
const bytesOf = (name: string): Buffer => Buffer.from(`${name} of the lab\n`.repeat(4096));

/** Puts kernel and ramdisk of the deploy agent into Glance, those that are not there. */
export async function uploadDeployImages(cloud: Cloud): Promise<void> {
  for (const [name, format] of DEPLOY_IMAGES) {
    const id = uuidOf(`image/${name}`);
    const known = cloud.state.images.find((image) => image.id === id);
    const asked = { name, disk_format: format, container_format: format, visibility: 'public' };
    const image = known ?? newImage(cloud, asked, id);
    image.status = 'queued';
    await upload(cloud, image, Readable.from([bytesOf(name)]));
  }
}

/** What the contract has of them. */
export const deployImages = (): { glance: string; checksum: string }[] =>
  DEPLOY_IMAGES.map(([name]) => ({
    glance: name,
    checksum: `sha256:${createHash('sha256').update(bytesOf(name)).digest('hex')}`,
  }));

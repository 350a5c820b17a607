import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Image } from '../../../contracts/inventory/supply.ts';
import { asPromoted, type ImageVersion } from '../../../core/images.ts';
import type { Site } from '../../site.ts';

/** An image of the contract, and what deployments take of it. */
export interface Taken {
  readonly name: string;
  /** As the contract has it. */
  readonly image: Image;
  /** The promoted version, where there is one. */
  readonly version: ImageVersion | undefined;
  /** Where the bytes are read, and what is recorded of them. */
  readonly bytes: Pick<Image, 'name' | 'url' | 'checksum' | 'size' | 'format'>;
}

/** What deployments take of each image of the contract. */
export const takenImages = ({ images }: Inventory, site: Pick<Site, 'promoted'>): Promise<Taken[]> =>
  Promise.all(
    images.map(async (image) => {
      const found = await site.promoted(image.name);
      const bytes = found === undefined ? image : asPromoted(image, found.version, found.url);
      return { name: image.name, image, version: found?.version, bytes };
    }),
  );

export const noImages = ({ images }: Inventory): string | undefined =>
  images.length === 0 ? 'the contract has no images' : undefined;

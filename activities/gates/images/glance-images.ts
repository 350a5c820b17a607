import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import type { Image } from '../../../contracts/inventory/supply.ts';
import {
  digestDiffers,
  imageProblems,
  ownDigestDiffers,
  statusProblem,
  theImage,
  untoldOf,
  type RecordedImage,
} from '../../../core/openstack/images.ts';
import { digestOf, imagesNamed } from '../../openstack/glance.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { eachTarget, foundOf, type CheckContext, type CheckFunction } from '../check.ts';
import { withOpenStack, withoutOpenStack } from '../openstack/session.ts';

type InGlance = Image & { readonly glance: NonNullable<Image['glance']> };

const imagesOf = ({ images }: Inventory): readonly InGlance[] =>
  images.filter((image): image is InGlance => image.glance !== undefined);

/** The images that the cloud deploys are, in Glance, what was recorded. */
export const glanceImages: CheckFunction = {
  skip: (inventory) =>
    withoutOpenStack(inventory) ??
    (imagesOf(inventory).length === 0
      ? 'no image of the contract lies in Glance (`images[].glance`)'
      : undefined),
  run: (context) =>
    withOpenStack(context, async (cloud) => {
      const untold = new Set<string>();
      const result = await eachTarget(
        context,
        'image-supply',
        // The smallest first: a store that is broken as a whole is told early.
        imagesOf(context.inventory).toSorted((a, b) => (a.size ?? Infinity) - (b.size ?? Infinity) || 0),
        (image) => look(context, cloud, image, untold),
        { atOnce: 1 },
      );
      if (untold.size === 0) return result;
      return { ...result, summary: `${result.summary}; Glance does not tell: ${[...untold].join('; ')}` };
    }),
};

async function look(context: CheckContext, cloud: OpenStack, contract: InGlance, untold: Set<string>) {
  const { name, checksum, format, size, architecture, bootMode } = contract;
  const { image: called, ...more } =
    typeof contract.glance === 'string' ? { image: contract.glance } : contract.glance;
  const wanted: RecordedImage = { name, checksum, format, size, architecture, bootMode, ...more };
  const found = theImage(called, await imagesNamed(cloud, called));
  if ('wrong' in found) return { found: { wrong: [found.wrong] } };
  const { image } = found;
  const unusable = statusProblem(name, image);
  const digest =
    unusable === undefined
      ? await digestOf(cloud, image, (read) =>
          context.progress?.({ image: name, read, of: image.size ?? null }),
        )
      : undefined;
  const wrong = [
    ...(unusable === undefined ? [] : [unusable]),
    ...(digest === undefined || digest.digest === checksum
      ? []
      : [digestDiffers(name, image.id, digest.digest, checksum)]),
    ...(digest?.own === undefined ? [] : [ownDigestDiffers(name, image, digest.own)]),
    ...imageProblems(wanted, image),
  ];
  const left = untoldOf(wanted, image);
  if (left.length > 0) untold.add(`${left.join(' and ')} of ${name}`);
  const { size: bytes, ...told } = image;
  const evidence = await context.evidence(name, {
    asked: `image ${called} of Glance, and its bytes`,
    answer: {
      contract: { checksum, format, size: size ?? null },
      glance: { ...told, size: bytes ?? null },
      digest: digest === undefined ? null : { ...digest },
    },
  });
  return { found: foundOf(wrong, 'it is in Glance as it was recorded'), evidence: [evidence] };
}

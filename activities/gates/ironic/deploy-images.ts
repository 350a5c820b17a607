import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { fail, RackwrightError } from '../../../core/errors/failure.ts';
import { isGone, placeWords } from '../../../core/image-digest.ts';
import {
  DEPLOY_FIELDS,
  digestDiffers,
  imagePlace,
  ownDigestDiffers,
  statusProblem,
  theImage,
  type ImagePlace,
} from '../../../core/openstack/images.ts';
import { text } from '../../../core/openstack/read.ts';
import { imageSize } from '../../agent/image-source.ts';
import { readImage } from '../../images/image-bytes.ts';
import { digestOf, imagesNamed } from '../../openstack/glance.ts';
import type { OpenStack } from '../../openstack/client.ts';
import { eachTarget, foundOf, type CheckContext, type CheckFunction, type Wrong } from '../check.ts';
import { presentNodes } from './nodes.ts';
import { namedNodes, withBareMetal, withoutIronic } from './session.ts';

const recordedOf = ({ openstack }: Inventory) => openstack?.bareMetal?.deployImages ?? [];

/** Deploy kernels and ramdisks are where nodes and the contract say, and are the bytes that were recorded. */
export const deployImages: CheckFunction = {
  skip: (inventory) =>
    withoutIronic(inventory) ??
    (recordedOf(inventory).length + namedNodes(inventory).length === 0
      ? 'the contract names no deploy images (`openstack.bareMetal.deployImages`), and no node of Ironic'
      : undefined),
  run: (context) =>
    withBareMetal(context, async ({ ironic, cloud }) => {
      const { present } = await presentNodes(context, ironic);
      const references = [
        ...recordedOf(context.inventory).map(({ glance, url }) => url ?? glance ?? ''),
        ...present.flatMap(({ node }) => DEPLOY_FIELDS.map((name) => text(node.driverInfo[name]))),
      ].filter((each) => each !== '');
      const targets = [...new Set(references)].map((reference) => ({
        name: /^https?:/.test(reference) ? placeWords(reference) : reference,
        place: imagePlace(reference),
        by: present
          .filter(({ node }) => DEPLOY_FIELDS.some((name) => node.driverInfo[name] === reference))
          .map(({ name }) => name),
      }));
      const result = await eachTarget(context, 'image-supply', targets, async ({ name, place, by }) => {
        const seen = await look(context, cloud, place);
        const evidence = await context.evidence(name, {
          asked: place.kind === 'glance' ? `image ${place.name} of Glance` : name,
          answer: {
            kind: place.kind,
            nodes: by,
            ...seen.told,
            wrong: seen.wrong.map(({ message }) => message),
          },
        });
        return { found: foundOf(seen.wrong, seen.right), evidence: [evidence] };
      });
      return targets.length > 0
        ? result
        : {
            ...result,
            outcome: 'skipped',
            summary: 'neither the contract nor a node that is enrolled names any',
          };
    }),
};

interface Seen {
  readonly wrong: readonly Wrong[];
  readonly right: string;
  readonly told: { readonly [name: string]: string | number | null };
}

async function look(context: CheckContext, cloud: OpenStack | undefined, place: ImagePlace): Promise<Seen> {
  if (place.kind === 'conductor') {
    return { wrong: [], right: 'a file of the conductors, which is not looked into', told: {} };
  }
  if (place.kind === 'url') return atUrl(context, place.url);
  if (cloud === undefined) {
    throw fail(
      'CONTRACT_INVALID',
      `Deploy image ${place.name} lies in Glance, and the contract names no cloud to ask for it.`,
      { correction: 'Add `openstack.authUrl` and `openstack.credentials`.' },
    );
  }
  return inGlance(context, cloud, place.name);
}

async function inGlance(context: CheckContext, cloud: OpenStack, name: string): Promise<Seen> {
  const found = theImage(name, await imagesNamed(cloud, name));
  if ('wrong' in found) return { wrong: [found.wrong], right: '', told: { found: null } };
  const { image } = found;
  const told = { id: image.id, status: image.status, size: image.size ?? null };
  const unusable = statusProblem(name, image);
  if (unusable !== undefined) return { wrong: [unusable], right: '', told };
  const recorded = recordedOf(context.inventory).find(
    ({ glance }) => glance !== undefined && [name, image.id, image.name].includes(glance),
  )?.checksum;
  if (recorded === undefined) return { wrong: [], right: 'it is there; no checksum is recorded', told };
  const { digest, own } = await digestOf(cloud, image, (read) => context.progress?.({ image: name, read }));
  return {
    wrong: [
      ...(digest === recorded ? [] : [digestDiffers(name, image.id, digest, recorded)]),
      ...(own === undefined ? [] : [ownDigestDiffers(name, image, own)]),
    ],
    right: 'it is what was recorded',
    told: { ...told, digest, recorded },
  };
}

async function atUrl(context: CheckContext, url: string): Promise<Seen> {
  const place = placeWords(url);
  const source = { name: place, url };
  const recorded = recordedOf(context.inventory).find((each) => each.url === url)?.checksum;
  try {
    if (recorded === undefined) {
      const size = await imageSize(source, context.signal);
      return { wrong: [], right: 'it is there; no checksum is recorded', told: { size: size ?? null } };
    }
    const { checksum, size } = await readImage(source, undefined, context.signal);
    const wrong: Wrong[] =
      checksum === recorded
        ? []
        : [
            {
              message: `Deploy image ${place} has ${checksum}, and ${recorded} is recorded in the contract.`,
              correction: `Put the recorded bytes there; if the new ones are wanted, write their checksum into \`openstack.bareMetal.deployImages\`.`,
            },
          ];
    return { wrong, right: 'it is what was recorded', told: { checksum, size, recorded } };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof RackwrightError) || !isGone(error.failure.details)) throw error;
    const wrong = {
      message: error.message,
      correction: `Publish the deploy image at ${place} again, or correct what names it: the node's \`driver_info\`, or the contract.`,
    };
    return { wrong: [wrong], right: '', told: {} };
  }
}

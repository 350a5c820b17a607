import { imageOf } from '../../../contracts/inventory/effective.ts';
import { fail } from '../../../core/errors/failure.ts';
import { imageProblem } from '../../../core/image-format.ts';
import { imageHead, imageSize } from '../../agent/image-source.ts';
import { mediaBase } from '../../agent/media-base.ts';
import { baseChecksumOf, baseIsoOf, gatewayUrlOf } from '../../agent/urls.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { sentence } from './bmc.ts';
import { guestDrive } from './guest-drive.ts';

/** Checks everything that can be checked before the node is touched: contract, base ISO, image. */
export const preflight: StepFunction = async (context) => {
  const { inventory, node, input, signal } = context;
  gatewayUrlOf(inventory, 'agent');
  requireProvisioning(context);
  const base = await mediaBase(baseIsoOf(inventory, node.architecture));
  const expected = baseChecksumOf(inventory, node.architecture);
  if (expected !== undefined && expected !== `sha256:${base.sha256}`) {
    throw fail(
      'MEDIA_BASE_INVALID',
      `The base ISO ${base.path} has sha256:${base.sha256}, and ${expected} in the contract.`,
      { correction: 'Restore the ISO, or correct `media.checksum` in the contract.' },
    );
  }
  const image = imageOf(inventory, String(input.args['image']));
  const wrong = (what: string): Error => fail('IMAGE_UNSUITABLE', `Image ${image.name} ${what}.`);
  if (image.architecture !== undefined && image.architecture !== node.architecture) {
    throw wrong(`is for ${image.architecture}, and the node is ${node.architecture}`);
  }
  if (image.bootMode !== undefined && image.bootMode !== node.bootMode) {
    throw wrong(`boots by ${image.bootMode}, and the node by ${node.bootMode}`);
  }
  const size = await imageSize(image, signal);
  if (image.size !== undefined && size !== undefined && size !== image.size) {
    throw wrong(`has ${size} bytes at its source, and ${image.size} in the contract`);
  }
  const problem = imageProblem(image.format, await imageHead(image, signal));
  if (problem !== undefined) throw wrong(problem);
  // Made once more when the image is written; here it shows that it can be.
  await guestDrive(context);
  return {
    summary: sentence(
      `image ${image.name} is at its source${size === undefined ? '' : ` (${size} bytes)`}`,
      `base ISO sha256:${base.sha256.slice(0, 12)}…`,
      node.rootDevice === undefined ? 'no root device hints: the node must have one disk only' : undefined,
    ),
  };
};

/** Agents may only be called on a network that the contract names. */
function requireProvisioning({ inventory }: StepContext): void {
  const found = Object.entries(inventory.networks).some(
    ([name, network]) => (network.kind ?? name) === 'provisioning',
  );
  if (!found) {
    throw fail('MEDIA_NOT_CONFIGURED', 'The inventory has no network of kind `provisioning` in `networks`.');
  }
}

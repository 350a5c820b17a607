import { field, items, text } from './read.ts';
import type { ServiceFinding } from '../ironic/service.ts';

/** An image, as Glance has it. */
export interface GlanceImage {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly size: number | undefined;
  readonly format: string;
  readonly visibility: string;
  readonly protected: boolean;
  readonly hidden: boolean;
  /** Algorithm and value of the digest that Glance made when the bytes came. */
  readonly hashAlgorithm: string;
  readonly hash: string;
  readonly architecture: string;
  readonly firmware: string;
}

/** An image of the contract, as far as Glance can differ from it. */
export interface RecordedImage {
  readonly name: string;
  readonly checksum: string;
  readonly format: string;
  readonly size?: number | undefined;
  readonly architecture?: string | undefined;
  readonly bootMode?: string | undefined;
  readonly visibility?: string | undefined;
  readonly protected?: boolean | undefined;
}

export function readImage(value: unknown): GlanceImage {
  const size = field(value, 'size');
  const words = (name: string): string => text(field(value, name));
  return {
    id: words('id'),
    name: words('name'),
    status: words('status'),
    size: typeof size === 'number' ? size : undefined,
    format: words('disk_format'),
    visibility: words('visibility'),
    protected: field(value, 'protected') === true,
    hidden: field(value, 'os_hidden') === true,
    hashAlgorithm: words('os_hash_algo'),
    hash: words('os_hash_value'),
    architecture: words('hw_architecture') || words('architecture') || words('os_architecture'),
    firmware: words('hw_firmware_type'),
  };
}

export const isImageId = (name: string): boolean => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(name);

/** The one image that a name stands for, or why there is none. */
export function theImage(
  name: string,
  answers: readonly unknown[],
): { readonly image: GlanceImage } | { readonly wrong: ServiceFinding } {
  const images = items(answers).map(readImage);
  if (images.length === 1) return { image: images[0]! };
  if (images.length === 0) {
    return {
      wrong: {
        message: `Glance has no image ${name}, or the user of the contract may not see it.`,
        correction: `Upload it again (openstack image create), or correct the name in the contract.`,
      },
    };
  }
  return {
    wrong: {
      message: `Glance has ${images.length} images of the name ${name}: which one is deployed is chance.`,
      correction: `Write the id of the one that is meant into the contract (${images
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}), and remove or rename the others.`,
    },
  };
}

/** Why the bytes of an image cannot be had: it is not active. */
export const statusProblem = (name: string, { status, id }: GlanceImage): ServiceFinding | undefined =>
  status === 'active'
    ? undefined
    : {
        message: `Image ${name} (${id}) is ${status || 'in no state'} in Glance, and not active.`,
        correction:
          status === 'deactivated'
            ? `openstack image set --activate ${id}`
            : `Delete it and upload it again: openstack image delete ${id}.`,
      };

const FIRMWARE: { readonly [mode: string]: string } = { uefi: 'uefi', bios: 'bios' };

/** What of an image in Glance contradicts the contract. What Glance does not tell contradicts nothing. */
export function imageProblems(wanted: RecordedImage, image: GlanceImage): ServiceFinding[] {
  const name = `Image ${wanted.name} (${image.id})`;
  const wrong: ServiceFinding[] = [];
  const differs = (what: string, is: string, should: string, correction: string): void => {
    wrong.push({
      message: `${name} has ${what} ${is} in Glance, and ${should} in the contract.`,
      correction,
    });
  };
  const set = (property: string, value: string): string =>
    `openstack image set --property ${property}=${value} ${image.id}; or correct the image in the contract.`;
  if (image.format !== wanted.format)
    differs(
      'disk format',
      image.format || 'none',
      wanted.format,
      `Upload it as what it is: openstack image create --disk-format ${wanted.format} …; the format of an image with bytes cannot be changed.`,
    );
  if (wanted.size !== undefined && image.size !== undefined && image.size !== wanted.size)
    differs(
      'size',
      String(image.size),
      String(wanted.size),
      'Upload the recorded bytes, or correct `size` in the contract.',
    );
  if (
    wanted.architecture !== undefined &&
    image.architecture !== '' &&
    image.architecture !== wanted.architecture
  )
    differs(
      'architecture',
      image.architecture,
      wanted.architecture,
      set('hw_architecture', wanted.architecture),
    );
  const firmware = FIRMWARE[wanted.bootMode ?? ''];
  if (firmware !== undefined && image.firmware !== '' && image.firmware !== firmware)
    differs('hw_firmware_type', image.firmware, firmware, set('hw_firmware_type', firmware));
  if (wanted.visibility !== undefined && image.visibility !== wanted.visibility)
    differs(
      'visibility',
      image.visibility,
      wanted.visibility,
      `openstack image set --${wanted.visibility} ${image.id}; or correct the image in the contract.`,
    );
  if (wanted.protected === true && !image.protected)
    wrong.push({
      message: `${name} is not protected in Glance: whoever owns it may delete it.`,
      correction: `openstack image set --protected ${image.id}`,
    });
  return wrong;
}

/** Glance gives out other bytes than it took in. */
export const ownDigestDiffers = (
  name: string,
  { id, hashAlgorithm, hash }: GlanceImage,
  is: string,
): ServiceFinding => ({
  message: `Image ${name} (${id}): Glance gives out bytes of ${hashAlgorithm} ${is.slice(0, 16)}…, and says itself that they have ${hash.slice(0, 16)}….`,
  correction:
    'Look at the store of Glance: the bytes have changed there. Upload the recorded bytes as a new image.',
  faultDomain: 'storage',
});

/** The bytes are not those that were recorded. */
export const digestDiffers = (name: string, id: string, is: string, recorded: string): ServiceFinding => ({
  message: `Image ${name} (${id}) has ${is} in Glance, and ${recorded} is recorded in the contract.`,
  correction: `Upload the recorded bytes as a new image and name that in the contract; if the new bytes are wanted, write their checksum into the contract.`,
});

/** What was not to be seen, in words: nothing where Glance tells all that the contract says. */
export function untoldOf(wanted: RecordedImage, image: GlanceImage): readonly string[] {
  return [
    ...(wanted.architecture !== undefined && image.architecture === '' ? ['hw_architecture'] : []),
    ...(wanted.bootMode !== undefined && image.firmware === '' ? ['hw_firmware_type'] : []),
  ];
}

/** Where a deploy image lies, as Ironic writes it. */
export type ImagePlace =
  | { readonly kind: 'glance'; readonly name: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'conductor'; readonly path: string };

/** Fields of a node's `driver_info` that name what it is deployed with. */
export const DEPLOY_FIELDS = ['deploy_kernel', 'deploy_ramdisk', 'deploy_iso', 'bootloader'] as const;

/** Reads `http://…`, `glance://ID`, `ID` and `file:///…`. */
export function imagePlace(reference: string): ImagePlace {
  if (/^https?:\/\//i.test(reference)) return { kind: 'url', url: reference };
  if (/^file:\/\//i.test(reference)) return { kind: 'conductor', path: reference };
  return { kind: 'glance', name: reference.replace(/^glance:\/\//i, '') };
}

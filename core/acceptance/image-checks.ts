import { check, type Check } from './check.ts';

/** 100 GB at 100 MB/s take a quarter of an hour, at a tenth of that three hours; there may be more than one image. */
const WHOLE_IMAGES = { attempt: 6 * 3600, total: 12 * 3600 };
const BEGINNINGS = { attempt: 300, total: 600 };
/** A base ISO has a few gigabytes at most, and lies on the host. */
const WHOLE_ISO = { attempt: 900, total: 1800 };

/** Gate 5: that what would be deployed is, to the byte, what was recorded. */
export const IMAGE_CHECKS: readonly Check[] = [
  check({
    id: 'deploy-media',
    gate: 5,
    title: 'Deploy media are the ones that were built',
    shows:
      'Each base ISO of `media.iso` has the SHA-256 that the contract or the record of its build says, kernel, ramdisk and boot loader in it are those of that record, and it can be published.',
    from: 'worker',
    faultDomain: 'media-publisher',
    bounds: WHOLE_ISO,
  }),
  check({
    id: 'image-format',
    gate: 5,
    title: 'Images are what the contract says of them',
    shows:
      'The first bytes of each image are of its format, and its partition table is that of a whole disk and does not contradict `architecture` and `bootMode`. What was not looked into stands in the summary.',
    from: 'worker',
    faultDomain: 'image-supply',
    bounds: BEGINNINGS,
  }),
  check({
    id: 'image-digests',
    gate: 5,
    title: 'Images are the bytes that were recorded',
    shows:
      'What deployments take of each image, the promoted version or else the contract, still has its recorded SHA-256, read from the first byte to the last, the smallest image first; and what was promoted is what the contract says.',
    from: 'worker',
    faultDomain: 'image-supply',
    bounds: WHOLE_IMAGES,
  }),
  check({
    id: 'glance-images',
    gate: 5,
    title: 'Images in Glance are the bytes that were recorded',
    shows:
      'Each image with `glance` is there once, active, with the recorded SHA-256 by every byte that Glance gives out, which are those of its own digest, too, with the format, size, `visibility` and `protected` of the contract, and tells no other architecture or boot mode.',
    from: 'worker',
    faultDomain: 'image-supply',
    bounds: WHOLE_IMAGES,
  }),
  check({
    id: 'container-digests',
    gate: 5,
    title: 'Containers run the images that were recorded',
    shows:
      'Each running container of `kube-system`, the `systemNamespaces` and Ceph has a digest of `kubernetes.containerImages`, and is named by it. A tag that can be changed fails; what is fixed by a digest and not recorded is named.',
    from: 'worker',
    faultDomain: 'image-supply',
  }),
];

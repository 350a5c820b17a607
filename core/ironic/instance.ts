import { networkData, type GuestPort } from '../guest-network.ts';
import type { JsonObject } from '../json.ts';

/** What is written, in `instance_info`'s words. */
export function imageInfo(image: {
  readonly source: string;
  readonly sha256: string;
  readonly format: 'raw' | 'qcow2';
}): JsonObject {
  return {
    image_source: image.source,
    image_os_hash_algo: 'sha256',
    image_os_hash_value: image.sha256.replace(/^sha256:/, ''),
    image_disk_format: image.format,
    image_type: 'whole-disk',
  };
}

/** The config drive, as Ironic builds it from JSON. */
export function configDrive(guest: {
  readonly hostname: string;
  readonly sshKeys: readonly string[];
  /** The ports that the guest brings up; without any, it does as its image says. */
  readonly network?: readonly GuestPort[] | undefined;
  readonly userData?: string | undefined;
}): JsonObject {
  const { network = [] } = guest;
  return {
    meta_data: {
      name: guest.hostname,
      hostname: guest.hostname,
      public_keys: Object.fromEntries(guest.sshKeys.map((key, index) => [`key-${index}`, key])),
    },
    ...(network.length === 0 ? {} : { network_data: networkData(network) }),
    ...(guest.userData === undefined ? {} : { user_data: guest.userData }),
  };
}

import { gzipSync } from 'node:zlib';
import { fail } from '../../core/errors/failure.ts';
import { networkConfig, networkData, type GuestPort } from '../../core/guest-network.ts';
import { iso9660, type IsoInput } from '../../core/iso9660.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** In whose form a guest reads its config drive. */
export type ConfigDriveForm = 'openstack' | 'nocloud';

export interface ConfigDriveInput {
  /** @default 'openstack' */
  readonly form?: ConfigDriveForm | undefined;
  readonly uuid: string;
  readonly hostname: string;
  readonly publicKeys: readonly string[];
  /** Where the guest says that it is up; left out where nobody waits for it. */
  readonly callback?: string | undefined;
  /** The ports that it brings up; without any, it does as its image says. */
  readonly network?: readonly GuestPort[] | undefined;
  /** User data as the request gave it; secret. */
  readonly userData?: Uint8Array | undefined;
}

/** The agent writes no larger one. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What the guest reads of itself. */
export const configDriveMetadata = (input: ConfigDriveInput): JsonObject => ({
  uuid: input.uuid,
  name: input.hostname,
  hostname: input.hostname,
  public_keys: Object.fromEntries(input.publicKeys.map((key, i) => [`key-${i + 1}`, key])),
  ...(input.callback === undefined ? {} : { meta: { rackwright_callback: input.callback } }),
});

/** The same in cloud-init's own form. It is YAML to cloud-init, and JSON is YAML. */
const noCloudMetadata = (input: ConfigDriveInput): JsonObject => ({
  'instance-id': input.uuid,
  'local-hostname': input.hostname,
  'public-keys': [...input.publicKeys],
  ...(input.callback === undefined ? {} : { rackwright_callback: input.callback }),
});

type File = IsoInput['files'][number];
const json = (path: string, value: Json): File => ({
  path,
  bytes: new TextEncoder().encode(JSON.stringify(value)),
});

function openStack(input: ConfigDriveInput): IsoInput {
  const { network = [], userData } = input;
  return {
    label: 'config-2',
    files: [
      json('openstack/latest/meta_data.json', configDriveMetadata(input)),
      ...(network.length === 0 ? [] : [json('openstack/latest/network_data.json', networkData(network))]),
      ...(userData === undefined ? [] : [{ path: 'openstack/latest/user_data', bytes: userData }]),
    ],
  };
}

function noCloud(input: ConfigDriveInput): IsoInput {
  const { network = [], userData } = input;
  return {
    label: 'cidata',
    files: [
      json('meta-data', noCloudMetadata(input)),
      // Without one, empty or not, cloud-init does not take the volume for its own.
      { path: 'user-data', bytes: userData ?? new Uint8Array() },
      ...(network.length === 0 ? [] : [json('network-config', networkConfig(network))]),
    ],
  };
}

/** The config drive as a volume. Throws CONFIG_DRIVE_TOO_LARGE. */
export function configDriveIso(input: ConfigDriveInput): Uint8Array {
  const volume = iso9660(input.form === 'nocloud' ? noCloud(input) : openStack(input));
  if (volume.length <= MAX_BYTES) return volume;
  const mib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
  throw fail(
    'CONFIG_DRIVE_TOO_LARGE',
    `The config drive has ${mib(volume.length)} MiB, ${mib(input.userData?.length ?? 0)} of them user data; the agent writes up to ${mib(MAX_BYTES)}.`,
  );
}

/** The config drive as the agent takes it: base64 of the zipped volume. It holds secrets; it is never kept. */
export const configDrive = (input: ConfigDriveInput): string =>
  gzipSync(configDriveIso(input)).toString('base64');

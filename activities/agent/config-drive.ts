import { gzipSync } from 'node:zlib';
import { iso9660 } from '../../core/iso9660.ts';
import type { JsonObject } from '../../core/json.ts';

export interface ConfigDriveInput {
  readonly uuid: string;
  readonly hostname: string;
  readonly publicKeys: readonly string[];
  /** Where the guest says that it is up. */
  readonly callback: string;
  /** User data as the request gave it; secret. */
  readonly userData?: Uint8Array | undefined;
}

/** What the guest reads of itself. */
export const configDriveMetadata = (input: ConfigDriveInput): JsonObject => ({
  uuid: input.uuid,
  name: input.hostname,
  hostname: input.hostname,
  public_keys: Object.fromEntries(input.publicKeys.map((key, i) => [`key-${i + 1}`, key])),
  meta: { rackwright_callback: input.callback },
});

/** The config drive as a volume. */
export function configDriveIso(input: ConfigDriveInput): Uint8Array {
  const metadata = new TextEncoder().encode(JSON.stringify(configDriveMetadata(input)));
  return iso9660({
    label: 'config-2',
    files: [
      { path: 'openstack/latest/meta_data.json', bytes: metadata },
      ...(input.userData === undefined
        ? []
        : [{ path: 'openstack/latest/user_data', bytes: input.userData }]),
    ],
  });
}

/** The config drive as the agent takes it: base64 of the zipped volume. It holds secrets; it is never kept. */
export const configDrive = (input: ConfigDriveInput): string =>
  gzipSync(configDriveIso(input)).toString('base64');

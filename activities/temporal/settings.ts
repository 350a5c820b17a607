import type { TLSConfig } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';

/** Where Temporal is and how to get in: of the flags, the environment, or the profile file of the SDK. */
export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly tls?: TLSConfig | boolean;
  readonly apiKey?: string;
  readonly metadata?: Record<string, string>;
}

const DEFAULT_ADDRESS = '127.0.0.1:7233';

/**
 * Settings of the connection: `over` first, then `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`,
 * `TEMPORAL_TLS_…`, `TEMPORAL_API_KEY` and the profile that `TEMPORAL_PROFILE` names.
 */
export function temporalSettings(
  over: { readonly address?: string | undefined; readonly namespace?: string | undefined } = {},
): TemporalSettings {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const { address, tls, apiKey, metadata } = connectionOptions;
  return {
    address: over.address ?? address ?? DEFAULT_ADDRESS,
    namespace: over.namespace ?? namespace ?? 'default',
    ...(tls == null ? {} : { tls }),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(metadata === undefined ? {} : { metadata: metadata as Record<string, string> }),
  };
}

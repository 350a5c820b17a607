import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { temporalSettings, type TemporalSettings } from '../../activities/temporal/settings.ts';
import { fail } from '../../core/errors/failure.ts';
import type { ProcessConfig } from '../config.ts';

const TRIES = 60;
const PAUSE_MS = 1000;

/** Connects to Temporal, and waits a minute for one that is starting. Throws TEMPORAL_UNREACHABLE. */
export async function connectNative(
  config: ProcessConfig,
  log: Logger,
): Promise<{ connection: NativeConnection; settings: TemporalSettings }> {
  const settings = temporalSettings(config);
  const { namespace, ...options } = settings;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const connection = await NativeConnection.connect(options);
      await connection.workflowService.describeNamespace({ namespace });
      return { connection, settings };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (attempt >= TRIES) {
        throw fail(
          'TEMPORAL_UNREACHABLE',
          `Temporal at ${settings.address} does not answer for namespace ${namespace}: ${why.slice(0, 200)}`,
          {},
          { cause },
        );
      }
      if (attempt === 1) log.info({ address: settings.address, why }, 'waiting for Temporal');
      await sleep(PAUSE_MS);
    }
  }
}

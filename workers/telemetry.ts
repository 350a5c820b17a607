import { DefaultLogger, Runtime, type LogLevel, type TelemetryOptions } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS: { readonly [L in LogLevel]: 'trace' | 'debug' | 'info' | 'warn' | 'error' } = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** Lets the SDK log through ours, count where it is asked to, and leave signals to us. Once per process. */
export function installRuntime(log: Logger, metrics: string | undefined): void {
  const telemetryOptions: TelemetryOptions = {
    logging: { forward: {}, filter: { core: 'WARN', other: 'WARN' } },
    ...(metrics === undefined ? {} : { metrics: { prometheus: { bindAddress: metrics } } }),
  };
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      log[LEVELS[level]](meta ?? {}, message);
    }),
    telemetryOptions,
    shutdownSignals: [],
  });
}

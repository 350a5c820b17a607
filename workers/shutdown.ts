import type { Logger } from 'pino';

const LAST_RESORT_MS = 40_000;

/**
 * Runs `stop` once on SIGTERM, SIGINT, or when the parent that started us is gone. A second signal ends
 * the process at once, and so does a stop that takes too long.
 */
export function onShutdown(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const begin = (why: string, impatient: boolean): void => {
    if (stopping) {
      if (impatient) process.exit(130);
      return;
    }
    stopping = true;
    log.info({ why }, 'stopping');
    setTimeout(() => {
      log.error('did not stop in time');
      process.exit(3);
    }, LAST_RESORT_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop in order');
        process.exit(3);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => begin(signal, true));
  if (process.connected) process.once('disconnect', () => begin('the parent is gone', false));
}

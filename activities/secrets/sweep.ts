import type { Site } from '../site.ts';

/** How long a blob is kept that no operation uses: its request was lost, refused, or repeated when it was over. */
const KEPT_MS = 24 * 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;

type Swept = Pick<Site, 'name' | 'blobs' | 'records' | 'log'>;

/**
 * Deletes secret inputs that no node's record names for its operation, a day after they were last sent.
 * @returns how many
 */
export function sweepBlobs({ name, blobs, records }: Swept, now = Date.now()): Promise<number> {
  return blobs.sweep(now - KEPT_MS, async () => {
    const inputs = (await records.list(name)).flatMap(({ operation }) =>
      Object.values(operation?.args ?? {}),
    );
    return new Set(inputs.filter((input) => typeof input === 'string'));
  });
}

/** Sweeps now and every hour. A sweep that fails is told in the log. @returns how to end it */
export function keepSwept(site: Swept): () => void {
  const sweep = (): void => {
    sweepBlobs(site).then(
      (deleted) => deleted > 0 && site.log.info({ deleted }, 'secret inputs that nothing uses were deleted'),
      (error: unknown) => site.log.warn({ err: error }, 'secret inputs could not be looked through'),
    );
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_EVERY_MS);
  return () => clearInterval(timer);
}

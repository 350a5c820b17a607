import { setTimeout as sleep } from 'node:timers/promises';

/** How long hardware takes, in milliseconds at speed 1. */
export const TIMING = {
  powerOn: 2000,
  powerOff: 1000,
  gracefulOff: 3000,
  bootToAgent: 3000,
  bootToOs: 3000,
  /** How long writing firmware takes, after it was fetched. */
  updateFirmware: 30_000,
  eraseMetadata: 500,
  eraseDisk: 2000,
  /** How fast the agent writes an image. */
  writeMiBPerSecond: 2,
} as const;

/** Waits `ms`, divided by the speed of the lab; ends early, by throwing, when the signal is aborted. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

export const pauseAt =
  (speed: number): Pause =>
  async (ms, signal) => {
    await sleep(ms / speed, undefined, signal === undefined ? {} : { signal });
  };

import { expect } from 'vitest';
import { closeAllBmcs } from '../../activities/redfish/transport.ts';
import { Lane, NODE } from './lane.ts';

/** Servers on which cases are played at the same time, each on one of its own. */
export class Lanes {
  readonly #all: Lane[] = [];
  readonly #free: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];

  async open(count: number): Promise<void> {
    this.#all.push(...(await Promise.all(Array.from({ length: count }, () => Lane.open()))));
    this.#free.push(...this.#all);
  }

  /** Does the work on the first server that is free. */
  async on<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = this.#free.shift() ?? (await new Promise<Lane>((take) => this.#waiting.push(take)));
    try {
      return await work(lane);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(lane);
      else next(lane);
    }
  }

  /** Ends everything; no BMC may have a session left then. */
  async close(): Promise<void> {
    await closeAllBmcs();
    const sessions = await Promise.all(
      this.#all.map(async ({ bench }) => (await bench.server(NODE)).sessions),
    );
    await Promise.all(this.#all.map(({ bench }) => bench.close()));
    expect(sessions, 'sessions that are left on the BMCs').toEqual(this.#all.map(() => 0));
  }
}

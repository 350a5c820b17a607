import type { Server } from 'node:http';

/** A port that is listened at while that is wanted. */
export interface Door {
  wanted(): boolean;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Opens doors that are to be open, and closes the others; one change after the other. */
export class Listening {
  readonly #doors: readonly Door[];
  readonly #open = new Set<Door>();
  #runs = false;
  #last: Promise<void> = Promise.resolve();

  constructor(doors: readonly Door[]) {
    this.#doors = doors;
  }

  /** Throws where one cannot be opened: then none is. */
  async start(): Promise<void> {
    this.#runs = true;
    try {
      await this.follow();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** To be called when what is wanted may have changed. Throws where one cannot be opened. */
  follow(): Promise<void> {
    this.#last = this.#last
      .catch(() => undefined)
      .then(async () => {
        for (const door of this.#doors) {
          const wanted = this.#runs && door.wanted();
          if (wanted === this.#open.has(door)) continue;
          if (wanted) {
            await door.open();
            this.#open.add(door);
          } else {
            this.#open.delete(door);
            await door.close();
          }
        }
      });
    return this.#last;
  }

  stop(): Promise<void> {
    this.#runs = false;
    return this.follow();
  }
}

/** The door of a server of Node.js. */
export const doorOf = (
  server: Server,
  at: () => { readonly host: string; readonly port: number },
  wanted: () => boolean,
): Door => ({
  wanted,
  open: () =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(at(), () => {
        server.off('error', reject);
        resolve();
      });
    }),
  close: () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
});

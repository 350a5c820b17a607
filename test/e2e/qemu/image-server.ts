import { createReadStream, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Bytes before a held image stops: enough for the agent to be in the middle of writing. */
const HELD_AFTER = 16 * 1024 * 1024;

/** A web server for images that can be told to fail, to serve other bytes, and to stop in the middle. */
export class ImageServer {
  readonly #files: Map<string, string>;
  readonly #server = createServer((request, response) =>
    this.#answer(request.method, request.url, request.headers.range, response),
  );
  #failures = 0;
  #failed = 0;
  #hold: { readonly reached: () => void; readonly released: Promise<void> } | undefined;

  /** @param files by the name that they are served under */
  constructor(files: Readonly<Record<string, string>>) {
    this.#files = new Map(Object.entries(files));
  }

  async listen(): Promise<void> {
    await new Promise<void>((listens) => this.#server.listen(0, '127.0.0.1', listens));
  }

  urlOf(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  /** From now on this file is what is served under the name. */
  serve(name: string, file: string): void {
    this.#files.set(name, file);
  }

  /** Answers 500 to so many requests for a whole image. */
  failNext(times: number): void {
    this.#failures = times;
    this.#failed = 0;
  }

  /** How many it has answered so since. */
  get failed(): number {
    return this.#failed;
  }

  /**
   * Stops the next whole image in its middle. What is answered waits until that is so, and then gives the means to go
   * on; any later request is answered whole.
   */
  async heldInTheMiddle(work: () => Promise<void>): Promise<void> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<void>((resolve) => {
      this.#hold = { reached: resolve, released };
    });
    await reached;
    try {
      await work();
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(method = 'GET', url = '/', range: string | undefined, response: ServerResponse): void {
    const path = this.#files.get(url.slice(1));
    if (path === undefined) return void response.writeHead(404).end();
    const { size } = statSync(path);
    const asked = /^bytes=(\d+)-(\d+)$/.exec(range ?? '');
    if (method === 'GET' && asked === null && this.#failures > 0) {
      this.#failures -= 1;
      this.#failed += 1;
      return void response.writeHead(500).end();
    }
    const start = asked === null ? 0 : Number(asked[1]);
    const end = asked === null ? size - 1 : Math.min(Number(asked[2]), size - 1);
    response.writeHead(asked === null ? 200 : 206, {
      'content-length': end - start + 1,
      ...(asked === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    });
    if (method === 'HEAD') return void response.end();
    const hold = asked === null ? this.#hold : undefined;
    if (hold === undefined) return void createReadStream(path, { start, end }).pipe(response);
    this.#hold = undefined;
    const first = createReadStream(path, { start, end: HELD_AFTER - 1 });
    first.pipe(response, { end: false });
    first.once('end', () => {
      hold.reached();
      void hold.released.then(() => createReadStream(path, { start: HELD_AFTER, end }).pipe(response));
    });
  }
}

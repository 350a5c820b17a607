import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './peer.ts';

/** Stands before a server: counts connections, hangs up, or does not listen. */
export class Front {
  readonly port: number;
  readonly #to: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  connections = 0;
  hanging = false;

  private constructor(port: number, to: number) {
    this.port = port;
    this.#to = to;
  }
  static async start(to: number): Promise<Front> {
    const front = new Front(await freePort(), to);
    await front.listen(true);
    return front;
  }

  async listen(listening: boolean): Promise<void> {
    if (!listening) {
      for (const socket of this.#sockets) socket.destroy();
      await new Promise<void>((closed) => (this.#server ? this.#server.close(() => closed()) : closed()));
      this.#server = undefined;
      return;
    }
    this.#server = createServer((socket) => {
      this.connections += 1;
      if (this.hanging) {
        socket.destroy();
        return;
      }
      const onward = connect(this.#to, '127.0.0.1');
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    const server = this.#server;
    await new Promise<void>((ready) => server.listen(this.port, '127.0.0.1', ready));
  }

  stop(): Promise<void> {
    return this.listen(false);
  }
}

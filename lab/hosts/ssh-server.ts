import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server as Listener, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ParsedKey, type ServerChannel } from 'ssh2';

export interface HostLogin {
  readonly user: string;
  /** Of the host, as OpenSSH writes it. */
  readonly hostKey: string;
  /** The public key that is let in. */
  readonly userKey: string;
  /** Whether it lets in nobody now. */
  refuses(): boolean;
  exec(channel: ServerChannel, command: string): void;
}

/** An SSH server of one host: one key is let in, and runs commands. No shell, no forwarding, no files. */
export class SshHostServer {
  readonly #ssh: ssh2.Server;
  readonly #sockets = new Set<Socket>();
  readonly #userKey: ParsedKey;
  #listener: Listener | undefined;

  constructor(login: HostLogin) {
    const parsed = ssh2.utils.parseKey(login.userKey);
    if (parsed instanceof Error) throw parsed;
    this.#userKey = parsed;
    this.#ssh = new ssh2.Server({ hostKeys: [login.hostKey] }, (client) => this.#serve(client, login));
  }

  listen(host: string, port: number): Promise<void> {
    const listener = createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.#ssh.injectSocket(socket);
    });
    this.#listener = listener;
    return new Promise((resolve, reject) => {
      listener.once('error', reject);
      listener.listen({ host, port }, resolve);
    });
  }

  /** Listens no more, and hangs up on who is connected. */
  close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => (listener === undefined ? resolve() : listener.close(() => resolve())));
  }

  #serve(client: Connection, { user, refuses, exec }: HostLogin): void {
    // Whoever hangs up in the middle of something does not end the lab.
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      if (!refuses() && context.username === user && this.#isOurs(context)) context.accept();
      else context.reject(['publickey']);
    });
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec, _reject, { command }) => exec(acceptExec(), command));
    });
  }

  /** Whether it is the key that is let in, and, once it has signed, signed by it. */
  #isOurs(context: AuthContext): boolean {
    if (context.method !== 'publickey') return false;
    const [given, ours] = [context.key.data, this.#userKey.getPublicSSH()];
    if (context.key.algo !== this.#userKey.type || given.length !== ours.length) return false;
    if (!timingSafeEqual(given, ours)) return false;
    const { blob, signature } = context;
    // Asked first whether the key would do.
    if (signature === undefined || blob === undefined) return true;
    return this.#userKey.verify(blob, signature, context.hashAlgo) === true;
  }
}

import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';

const listen = (port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/** Why nothing can listen there, as an error code of the system: `EADDRINUSE` where something else does. */
export async function hindrance(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  try {
    await close(await listen(port, host));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** Whether something else listens on the port already. */
export const isTaken = async (port: number, host?: string): Promise<boolean> =>
  (await hindrance(port, host)) === 'EADDRINUSE';

/** Below those that systems give to connections and to listeners that ask for none, and below those of the lab. */
const [FIRST, COUNT] = [10_000, 8000];
const TRIES = 100;

/** Ports that were free a moment ago, all different; what listened there may end and find its port again. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = count * TRIES; ports.size < count; tries--) {
    const port = FIRST + randomInt(COUNT);
    const why = ports.has(port) ? 'EADDRINUSE' : await hindrance(port, host);
    if (why === undefined) ports.add(port);
    else if (why !== 'EADDRINUSE' || tries <= 0) {
      throw new Error(`no free port on ${host} from ${FIRST} to ${FIRST + COUNT - 1}: ${why}`);
    }
  }
  return [...ports];
}

/** Whether someone accepts connections at `host:port`. */
export const answers = (host: string, port: number, timeoutMs = 1500): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (value: boolean): void => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });

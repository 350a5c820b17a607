import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** One request that a BMC got. */
export interface Asked {
  readonly method: string;
  readonly path: string;
}

/** What came in on one port. */
export interface Counted {
  /** What came since the last time that this was asked. */
  take(): Asked[];
  stop(): void;
}

/** Listens in on a server of this process: every request that it gets is kept, whatever it answers. */
export function countRequests(port: number): Counted {
  let kept: Asked[] = [];
  const keep = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    if (request.socket.localPort !== port) return;
    kept.push({
      method: request.method ?? '',
      path: (request.url ?? '').replace(/[?#].*$/, '').replace(/\/+$/, ''),
    });
  };
  diagnostics.subscribe('http.server.request.start', keep);
  return {
    take() {
      const taken = kept;
      kept = [];
      return taken;
    },
    stop: () => void diagnostics.unsubscribe('http.server.request.start', keep),
  };
}

export const isRead = ({ method }: Asked): boolean => method === 'GET' || method === 'HEAD';

/** What a write does. */
const WRITES = {
  'log in': /^POST .*\/Sessions$/,
  'insert media': /^POST .*VirtualMedia\.InsertMedia$/,
  'boot override': /^PATCH .*\/Systems\/[^/]+$/,
  reset: /^POST .*ComputerSystem\.Reset$/,
  'eject media': /^POST .*VirtualMedia\.EjectMedia$/,
  'log out': /^DELETE .*\/Sessions\/[^/]+$/,
} as const;

/** What a read is of. */
const READS = {
  'service root': /^\/redfish\/v1$/,
  system: /\/Systems\/[^/]+$/,
  'drives under the system': /\/Systems\/[^/]+\/VirtualMedia/,
  manager: /\/Managers\/[^/]+$/,
  'drives under the manager': /\/Managers\/[^/]+\/VirtualMedia/,
  'network adapters': /\/Chassis\//,
} as const;

const nameIn = (kinds: { readonly [name: string]: RegExp }, text: string): string =>
  Object.entries(kinds).find(([, pattern]) => pattern.test(text))?.[0] ?? text;

/** The kind of a request, in words; one of a kind that nobody expected is shown as it is. */
export const kindOf = (asked: Asked): string =>
  isRead(asked) ? nameIn(READS, asked.path) : nameIn(WRITES, `${asked.method} ${asked.path}`);

/** Sessions come and go with a client's way to log in; the other writes change the server. */
export const changesServer = (asked: Asked): boolean =>
  !isRead(asked) && !['log in', 'log out'].includes(kindOf(asked));

/** How often each kind comes; the known ones in the order of the tables above. */
export function tally(requests: readonly Asked[]): Map<string, number> {
  const counts = new Map<string, number>(
    [...Object.keys(WRITES), ...Object.keys(READS)].map((kind) => [kind, 0]),
  );
  for (const kind of requests.map(kindOf)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count > 0));
}

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { VANTAGE_WORKER } from '../../contracts/inventory/vantage.ts';
import { knockWords, readKnocks, type Endpoint } from '../../core/agent/knocks.ts';
import type { Knock } from '../../core/agent/reach.ts';
import { fail, type Failure } from '../../core/errors/failure.ts';
import type { Opening } from '../kubernetes/open.ts';
import { runnersAt } from '../vantage/runners.ts';
import { firstWords } from '../../core/whole-words.ts';

const CONNECT_MS = 5_000;
/** On a host: the login, the connections, which are tried at once, and the way back. */
const WHOLE_MS = 45_000;

/** A place that connections are tried from. */
export interface Place {
  /** As in `reached from the worker`. */
  readonly label: string;
  /** Whose it is where nothing gets onto its way from there, and what corrects it. */
  readonly unusable: Pick<Failure, 'faultDomain' | 'correction'>;
  /** Tries all of them at once. `own`: its own addresses, where nobody but itself answers. */
  knock(endpoints: readonly Endpoint[]): Promise<{ own: readonly string[]; knocks: readonly Knock[] }>;
}

/** The place of this name: the worker, or a vantage point, of whose pods one is taken. */
export function placeOf(from: string, context: Opening): Place {
  const { signal } = context;
  if (from === VANTAGE_WORKER) {
    return {
      label: 'the worker',
      unusable: {
        faultDomain: 'orchestrator',
        correction:
          'Look at routes, firewall and limits of the machine that the worker of the site runs on, or name a vantage point in `from`.',
      },
      knock: async (endpoints) => ({
        own: Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []),
        knocks: await Promise.all(endpoints.map((each) => knock(each, signal))),
      }),
    };
  }
  const label = `vantage point ${from}`;
  return {
    label,
    unusable: {
      faultDomain: 'control-host',
      correction: `Look at routes, firewall and limits of ${label}, or name another one in \`from\`.`,
    },
    async knock(endpoints) {
      const [runner] = await runnersAt(from, context);
      const ran = await runner.run(knockWords(endpoints, CONNECT_MS / 1000), WHOLE_MS);
      const knocked = readKnocks(ran, endpoints);
      if (!('unusable' in knocked)) return knocked;
      throw fail('VANTAGE_UNUSABLE', `No guest can be tried from ${label}: ${knocked.unusable}.`, {
        details: { from, exitCode: ran.exitCode, said: firstWords(ran.stderr, 200) },
      });
    },
  };
}

/** One connection from here, closed as soon as it is there: nothing is sent. */
function knock({ address, port }: Endpoint, signal: AbortSignal): Promise<Knock> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (outcome: string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve({ address, port, outcome });
    };
    const stop = (): void => end('stopped');
    const timer = setTimeout(() => end('silent'), CONNECT_MS);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => end('open'));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ECONNREFUSED' ? 'refused' : (error.code ?? 'failed')),
    );
  });
}

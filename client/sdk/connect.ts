import { Client, Connection } from '@temporalio/client';
import type { TemporalSettings } from '../../activities/temporal/settings.ts';
import { answers } from '../up/ports.ts';
import { fail } from '../../core/errors/failure.ts';

const LISTEN_MS = 10_000;
/** Someone listens: a server or a machine that is busy is given more time than one that is away. */
const ANSWER_MS = 30_000;

/** A connection that must be closed. */
export interface Connected {
  readonly client: Client;
  close(): Promise<void>;
}

/** Connects to Temporal, and proves that the namespace answers. Throws TEMPORAL_UNREACHABLE. */
export async function connect(settings: TemporalSettings): Promise<Connected> {
  const { namespace, ...options } = settings;
  let connection: Connection | undefined;
  try {
    // gRPC tries for the whole time-out where nobody listens; that is known at once.
    const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(settings.address) ?? [];
    if (host !== undefined && !(await answers(host, Number(port), LISTEN_MS))) {
      throw new Error('nothing listens there');
    }
    connection = await Connection.connect({ ...options, connectTimeout: ANSWER_MS });
    const services = connection.workflowService;
    await connection.withDeadline(Date.now() + ANSWER_MS, () => services.describeNamespace({ namespace }));
    const open = connection;
    return { client: new Client({ connection, namespace }), close: () => open.close() };
  } catch (cause) {
    await connection?.close();
    const why = cause instanceof Error ? cause.message.split('\n')[0]! : String(cause);
    throw fail(
      'TEMPORAL_UNREACHABLE',
      `Temporal at ${settings.address} does not answer for namespace ${namespace}: ${why.slice(0, 200)}`,
      {},
      { cause },
    );
  }
}

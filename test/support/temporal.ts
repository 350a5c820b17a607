import { spawn, type ChildProcess } from 'node:child_process';
import { Connection } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { devServerArguments } from '../../client/up/dev-server.ts';
import { freePorts } from '../../client/up/ports.ts';
import { ensureTemporalBinary, ensureTestServerBinary } from '../../client/up/temporal-binary.ts';
import {
  ensureRetention,
  ensureSearchAttributes,
  SEARCH_ATTRIBUTE_TYPES,
} from '../../workers/temporal/namespace.ts';

const NAMESPACE = 'default';

/** A Temporal dev server of its own process, on a free port. */
export interface DevServer {
  readonly address: string;
  readonly namespace: string;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Ends it as a power cut would. Start another with the same `dbFile` and `port` to go on. */
  kill9(): Promise<void>;
}

export interface DevServerOptions {
  /** Dynamic configuration by key; values are JSON. */
  readonly dynamicConfig?: Readonly<Record<string, unknown>>;
  /** Keeps its state, so that it survives `kill9`. */
  readonly dbFile?: string;
  /** @default a free one */
  readonly port?: number;
}

/** Starts a dev server and waits until it serves, with the search attributes and retention of production. */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const binary = await ensureTemporalBinary();
  const port = options.port ?? (await freePorts(1))[0]!;
  const address = `127.0.0.1:${port}`;
  const settings = {
    port,
    namespace: NAMESPACE,
    ...(options.dbFile === undefined ? {} : { dbFile: options.dbFile }),
    ...(options.dynamicConfig === undefined ? {} : { dynamicConfig: options.dynamicConfig }),
  };
  const child = spawn(binary, devServerArguments(settings), { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));

  const deadline = Date.now() + 60_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the dev server ended: ${output}`);
    try {
      await prepare(address);
      break;
    } catch (error) {
      if (Date.now() > deadline) {
        child.kill('SIGKILL');
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    address,
    namespace: NAMESPACE,
    stop: () => end(child, 'SIGTERM'),
    kill9: () => end(child, 'SIGKILL'),
  };
}

async function prepare(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2000 });
  try {
    await ensureSearchAttributes(connection, NAMESPACE);
    await ensureRetention(connection, NAMESPACE);
  } finally {
    await connection.close();
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}

/** A test environment with a dev server of its own, without time skipping. */
export async function createLocalEnvironment(
  options: { readonly dynamicConfig?: Readonly<Record<string, unknown>> } = {},
): Promise<TestWorkflowEnvironment> {
  const path = await ensureTemporalBinary();
  const extraArgs = Object.entries(options.dynamicConfig ?? {}).flatMap(([key, value]) => [
    '--dynamic-config-value',
    `${key}=${JSON.stringify(value)}`,
  ]);
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'existing-path', path }, extraArgs },
  });
  await ensureSearchAttributes(environment.connection, NAMESPACE);
  return environment;
}

/** A test environment whose clock skips over timers while a result is awaited. */
export async function createTimeSkippingEnvironment(): Promise<TestWorkflowEnvironment> {
  const path = await ensureTestServerBinary();
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  // It can add them but not list them.
  await environment.connection.operatorService.addSearchAttributes({
    namespace: NAMESPACE,
    searchAttributes: SEARCH_ATTRIBUTE_TYPES,
  });
  return environment;
}

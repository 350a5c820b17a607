import type { RequestOptions } from 'node:https';
import { WebSocket, type ClientOptions } from 'ws';
import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import type { Kubernetes } from './client.ts';
import { answerInvalid, refusal, unanswered } from './errors.ts';
import { firstWords } from '../../core/whole-words.ts';

/** Channels of a command's WebSocket, as the first byte of each message says. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
/** The first has a message that ends a channel. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
const CLOSE = 255;
const INPUT_PIECE = 32 * 1024;
const MAX_OUTPUT = 4 * 1024 * 1024;
const MAX_STDERR = 4096;
const CONNECT_MS = 15_000;

export interface InPod {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | undefined;
  readonly command: readonly string[];
  /** What it reads; it has to know itself where that ends. Left out or empty: it has no standard input. */
  readonly input?: string | undefined;
  /** Bound of the whole, in milliseconds. */
  readonly timeoutMs: number;
}

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command in a pod, to its end, and tells how that was. Without a terminal. Throws codes of
 * Kubernetes where it could not be run, or was not over in its time; a command that is cut off ends with its socket.
 */
export async function execInPod(kubernetes: Kubernetes, what: InPod, signal: AbortSignal): Promise<Ended> {
  const asked = `exec of ${what.command[0]} in pod ${what.namespace}/${what.pod}`;
  const query = new URLSearchParams([
    ...what.command.map((part) => ['command', part] as [string, string]),
    ...(what.container === undefined ? [] : [['container', what.container] as [string, string]]),
    ...(what.input ? [['stdin', 'true'] as [string, string]] : []),
    ['stdout', 'true'],
    ['stderr', 'true'],
  ]);
  const path = `/api/v1/namespaces/${encodeURIComponent(what.namespace)}/pods/${encodeURIComponent(what.pod)}/exec`;
  const options: RequestOptions = {};
  await kubernetes.config.applyToHTTPSOptions(options);
  signal.throwIfAborted();
  const socket = new WebSocket(
    `${kubernetes.server.replace(/^http/, 'ws')}${path}?${query}`,
    [...PROTOCOLS],
    {
      ...(options as unknown as ClientOptions),
      handshakeTimeout: CONNECT_MS,
      maxPayload: MAX_OUTPUT,
    },
  );
  if (what.input) socket.once('open', () => feed(socket, Buffer.from(what.input!)));
  const time = AbortSignal.timeout(what.timeoutMs);
  const stop = AbortSignal.any([signal, time]);
  try {
    return await ending(socket, stop, asked, kubernetes.server);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    socket.on('error', () => undefined);
    socket.terminate();
  }
}

/** Gives a command what it reads. It may end before it has read it. */
function feed(socket: WebSocket, input: Buffer): void {
  for (let at = 0; at < input.length; at += INPUT_PIECE)
    socket.send(Buffer.concat([Buffer.from([STDIN]), input.subarray(at, at + INPUT_PIECE)]));
  if (socket.protocol === PROTOCOLS[0]) socket.send(Buffer.from([CLOSE, STDIN]));
}

/** Reads a socket until the status of the command comes. Whatever it carries, no listener throws. */
function ending(socket: WebSocket, stop: AbortSignal, asked: string, server: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    socket.on('message', (data) => {
      const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
      const rest = bytes.subarray(1);
      if (bytes[0] === STDOUT) {
        size += rest.length;
        if (size > MAX_OUTPUT) reject(answerInvalid(asked, `it prints more than ${MAX_OUTPUT} bytes`));
        else output.push(rest);
      } else if (bytes[0] === STDERR) errors.push(rest.subarray(0, MAX_STDERR + 1));
      else if (bytes[0] === STATUS && rest.length > 0) {
        const exitCode = exitCodeOf(rest.toString('utf8'));
        const told = firstWords(Buffer.concat(errors.slice(0, 64)).toString('utf8'), MAX_STDERR);
        const stderr = told === '' && exitCode === 127 ? 'the container has no such program' : told;
        if (typeof exitCode === 'number')
          resolve({ exitCode, stdout: Buffer.concat(output).toString('utf8'), stderr });
        else reject(notRun(asked, exitCode.why));
      }
    });
    socket.on('error', (error) => {
      const [, status] = /^Unexpected server response: (\d{3})$/.exec(error.message) ?? [];
      reject(
        status === undefined ? unanswered(asked, server, causeOf(error)) : refusal(asked, Number(status), ''),
      );
    });
    socket.on('close', () => reject(notRun(asked, 'the connection ended before it did')));
    const over = (): void => reject(notRun(asked, 'it was not over in its time'));
    if (stop.aborted) over();
    else stop.addEventListener('abort', over, { once: true });
  });
}

const causeOf = (error: Error): unknown =>
  error.message === 'Opening handshake has timed out' ? { name: 'TimeoutError' } : error;

const notRun = (asked: string, why: string): RackwrightError =>
  fail('KUBERNETES_COMMAND_FAILED', `The ${asked} has no result: ${why}.`, { details: { asked } });

/** What runtimes say of a program that the container does not have: no shell is between that would end with 127. */
const NO_PROGRAM = /executable file not found in \$PATH|exec: .*: (stat .*: )?no such file or directory/i;

/** The exit code that a Status tells: 0 on success, that of its cause, or why there is none. */
function exitCodeOf(text: string): number | { why: string } {
  let status: { status?: unknown; reason?: unknown; message?: unknown; details?: unknown };
  try {
    status = JSON.parse(text) as typeof status;
  } catch {
    return { why: 'its status is no JSON' };
  }
  if (status?.status === 'Success') return 0;
  const { causes } = (status?.details ?? {}) as { causes?: unknown };
  const told = (Array.isArray(causes) ? causes : []).find(
    (cause: { reason?: unknown } | null) => cause?.reason === 'ExitCode',
  ) as { message?: unknown } | undefined;
  const exitCode = Number(told?.message);
  if (told && Number.isInteger(exitCode)) return exitCode;
  if (typeof status?.message === 'string' && NO_PROGRAM.test(status.message)) return 127;
  return {
    why: typeof status?.message === 'string' ? firstWords(status.message, 300) : 'its status says nothing',
  };
}

import { spawn, type ChildProcess } from 'node:child_process';
import { fail } from '../../core/errors/failure.ts';
import { remoteCommand } from '../../core/ssh/command.ts';
import { overdue, verdictOf, type SshVerdict } from '../../core/ssh/verdict.ts';
import { MAX_LOG_BYTES, PINNED, readLog, withWorkspace, type Workspace } from './workspace.ts';

/** A host that is logged in to, as its contract says. */
export interface SshHost {
  /** What it is called in messages, as in `vantage point tenant-jump`. */
  readonly label: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** A reference to the private key. */
  readonly key: string;
  /** Type and key, as in known_hosts without the host. Left out: the known_hosts of the worker's user decide. */
  readonly hostKey: string | undefined;
}

export interface RunOptions {
  /** What stands behind a reference to a secret. */
  secret(reference: string): Promise<string>;
  readonly signal: AbortSignal;
  /** What the command reads. @default nothing */
  readonly input?: string | Uint8Array;
  /** Until the host has spoken and shown its key. @default 10_000 */
  readonly connectMs?: number;
  /** From the first packet to the last. @default 60_000 */
  readonly wholeMs?: number;
  /** Of output and error output together. @default 32 KiB */
  readonly maxBytes?: number;
}

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const MAX_BYTES = 32 * 1024;
/** The host ends by itself what was not ended by the end of the connection. */
const HOST_GRACE_SECONDS = 10;
/** The exit code of a shell that finds no such program. */
const NO_PROGRAM = 127;
/**
 * The client, whose log cannot grow beyond a bound, whatever the host sends: in blocks of 512 bytes. It is not ended
 * by that, since what is ended so may leave an image of its memory, where the key is.
 */
const BOUNDED = `trap '' XFSZ; ulimit -f ${MAX_LOG_BYTES / 512} 2>/dev/null; exec ssh "$@"`;

/**
 * Runs a command on a host by OpenSSH's client and waits for its end, whatever its exit code. Words are passed as
 * they are; they are seen in the host's list of processes, so that a secret goes into `input`. When the time is over,
 * there is too much output, the signal aborts or the worker dies, the command is ended on the host too, as far as
 * the user who is logged in may do that.
 * Throws SSH_* errors, which name the host by its label; with the signal's reason if it aborts.
 */
export async function runOn(
  host: SshHost,
  words: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const { signal } = options;
  signal.throwIfAborted();
  const key = await options.secret(host.key);
  return withWorkspace({ key, hostKey: host.hostKey }, async (workspace) => {
    const ended = await client(host, words, options, workspace);
    if (ended.stopped === 'aborted') throw signal.reason;
    if (ended.stopped === 'too long') {
      const most = options.maxBytes ?? MAX_BYTES;
      throw ofHost(host, { code: 'SSH_OUTPUT_TOO_LONG', why: `the command said more than ${most} bytes` });
    }
    const log = await readLog(workspace);
    if (!log.there && ended.exitCode === NO_PROGRAM) {
      throw fail('SSH_PROGRAM_MISSING', 'There is no ssh on this worker.');
    }
    if (!log.whole) {
      throw ofHost(host, {
        code: 'SSH_OUTPUT_TOO_LONG',
        why: `the host fills the log of its connection, ${MAX_LOG_BYTES} bytes`,
      });
    }
    const pinned = host.hostKey !== undefined;
    const verdict = ended.stopped === 'overdue' ? overdue(log.text) : verdictOf(log.text, pinned);
    if ('code' in verdict) throw ofHost(host, verdict);
    return { stdout: ended.stdout, stderr: ended.stderr, exitCode: verdict.exitCode };
  });
}

const ofHost = (
  { label, host, port, user }: SshHost,
  { code, why }: Extract<SshVerdict, { code: unknown }>,
): Error =>
  fail(code, `SSH to ${label} (${user} at ${host}, port ${port}): ${why}.`, {
    details: { host, port, user },
  });

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Of the client. */
  readonly exitCode: number | null;
  readonly stopped: 'overdue' | 'too long' | 'aborted' | undefined;
}

function client(
  host: SshHost,
  words: readonly string[],
  { signal, input = '', connectMs = 10_000, wholeMs = 60_000, maxBytes = MAX_BYTES }: RunOptions,
  workspace: Workspace,
): Promise<Ended> {
  const bytes = Buffer.from(input);
  const seconds = Math.ceil(wholeMs / 1000) + HOST_GRACE_SECONDS;
  const command = remoteCommand(words, { inputBytes: bytes.length, seconds });
  const args = [...flags(host, workspace, connectMs), '-l', host.user, '--', host.host, command];
  return new Promise((resolve, reject) => {
    // Where nothing can be started, for want of file descriptors, it has no streams, and its error comes later.
    const child: ChildProcess = spawn('/bin/sh', ['-c', BOUNDED, 'sh', ...args], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const said = { stdout: [] as Buffer[], stderr: [] as Buffer[], length: 0 };
    let stopped: Ended['stopped'];
    const stop = (why: NonNullable<Ended['stopped']>): void => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const abort = (): void => stop('aborted');
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => stop('overdue'), wholeMs);
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (exitCode) => {
      done();
      const text = (pieces: Buffer[]): string => Buffer.concat(pieces).toString('utf8');
      resolve({ stdout: text(said.stdout), stderr: text(said.stderr), exitCode, stopped });
    });
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (piece: Buffer) => {
        said.length += piece.length;
        if (said.length > maxBytes) stop('too long');
        else said[name].push(piece);
      });
    }
    // The command may end without having read it. It stays open: its end tells the host that nobody waits.
    child.stdin?.on('error', () => undefined);
    child.stdin?.write(bytes);
  });
}

/** Nothing but the contract decides how the host is reached: no configuration, no agent, no other key, no password. */
function flags(
  { port, hostKey }: SshHost,
  { keyFile, knownHostsFile, logFile }: Workspace,
  connectMs: number,
): string[] {
  const options: { readonly [name: string]: string | number } = {
    LogLevel: 'DEBUG1',
    BatchMode: 'yes',
    IdentityFile: keyFile,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PreferredAuthentications: 'publickey',
    StrictHostKeyChecking: 'yes',
    UpdateHostKeys: 'no',
    ConnectTimeout: Math.ceil(connectMs / 1000),
    ServerAliveInterval: 5,
    ServerAliveCountMax: 3,
    ...(hostKey === undefined
      ? {}
      : { UserKnownHostsFile: knownHostsFile, GlobalKnownHostsFile: 'none', HostKeyAlias: PINNED }),
  };
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return ['-F', 'none', '-T', '-a', '-x', '-E', logFile, '-p', String(port), ...given];
}

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  LC_ALL: 'C',
});

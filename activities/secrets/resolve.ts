import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fail, RackwrightError } from '../../core/errors/failure.ts';

const MAX_BYTES = 65_536;
const EXEC_TIMEOUT_MS = 10_000;

export interface ResolveOptions {
  /** Whether `exec:` references may be run. @default false */
  readonly allowExec?: boolean | undefined;
  /** Where relative paths start and commands run. @default the working directory */
  readonly baseDir?: string | undefined;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Opens `blob:` references; without it they are not resolved. */
  readonly blobs?: { get(reference: string): Promise<Uint8Array> } | undefined;
}

const unresolved = (reference: string, why: string): RackwrightError =>
  fail('SECRET_UNRESOLVED', `The secret ${reference.slice(0, 200)} could not be resolved: ${why}.`);

/** Reads at most `MAX_BYTES`; also of what has no end, such as a device. */
async function readSecretFile(path: string, reference: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > MAX_BYTES) throw unresolved(reference, `the file is larger than ${MAX_BYTES} bytes`);
    return buffer.toString('utf8', 0, length);
  } finally {
    await handle.close();
  }
}

/** What the command prints. Its error output is not told: it may hold the secret. */
function runCommand(command: string, reference: string, options: ResolveOptions): Promise<string> {
  return new Promise((settle, reject) => {
    execFile(
      '/bin/sh',
      ['-c', command],
      {
        cwd: options.baseDir,
        env: (options.env ?? process.env) as NodeJS.ProcessEnv,
        timeout: EXEC_TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_BYTES,
      },
      (error, stdout) => {
        if (error === null) return settle(stdout);
        const why = error.killed
          ? `the command took longer than ${EXEC_TIMEOUT_MS / 1000} s`
          : typeof error.code === 'number'
            ? `the command ended with exit code ${error.code}`
            : 'the command could not be run to its end';
        reject(unresolved(reference, why));
      },
    );
  });
}

async function lookUp(reference: string, options: ResolveOptions): Promise<string> {
  const [, scheme, rest] = /^(env|file|exec|blob):([^]+)$/.exec(reference) ?? [];
  if (scheme === undefined || rest === undefined) {
    throw fail(
      'SECRET_UNRESOLVED',
      'A secret is not given as a reference (env:NAME, file:PATH, exec:COMMAND).',
    );
  }
  switch (scheme) {
    case 'env': {
      const value = (options.env ?? process.env)[rest];
      if (value === undefined) throw unresolved(reference, 'the environment variable is not set');
      return value;
    }
    case 'file':
      return readSecretFile(resolve(options.baseDir ?? '.', rest), reference);
    case 'exec':
      if (options.allowExec !== true) throw unresolved(reference, 'exec: references are not allowed here');
      return runCommand(rest, reference, options);
    default:
      if (options.blobs === undefined) throw unresolved(reference, 'there is no blob store here');
      return Buffer.from(await options.blobs.get(reference)).toString('utf8');
  }
}

/**
 * The secret that a reference (`env:`, `file:`, `exec:`, `blob:`) stands for, without one trailing
 * newline. Throws SECRET_UNRESOLVED, which names the reference and never holds a value.
 */
export async function resolveSecret(reference: string, options: ResolveOptions = {}): Promise<string> {
  let value: string;
  try {
    value = await lookUp(reference, options);
  } catch (error) {
    if (error instanceof RackwrightError) throw error;
    const code = (error as { code?: unknown }).code;
    throw unresolved(
      reference,
      typeof code === 'string' ? `reading it failed with ${code}` : 'reading it failed',
    );
  }
  const trimmed = value.replace(/\r?\n$/, '');
  if (trimmed === '') throw unresolved(reference, 'it is empty');
  return trimmed;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE } from './dist.ts';

const MAIN = join(PACKAGE, 'dist', 'client', 'cli', 'main.js');
const LONGEST_MS = 15 * 60_000;

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the built command line lies, and how it is run. */
export const cliCommand = (args: readonly string[]): [string, string[]] => [
  process.execPath,
  [MAIN, ...args],
];

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Runs the built command line to its end; one that does not end is killed, and that is an error. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliResult> {
  const child = spawn(...cliCommand(args), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  running.add(child);
  const stopping = new AbortController();
  try {
    const late = sleep(LONGEST_MS, 'late' as const, { signal: stopping.signal, ref: false });
    const code = await Promise.race([closed, late]);
    if (typeof code === 'number') return { code, stdout, stderr };
    child.kill('SIGKILL');
    await closed;
    throw new Error(
      `rackwright ${args.join(' ')} ${code === null ? 'was killed' : 'did not end'}:\n${stderr}`,
    );
  } finally {
    stopping.abort();
    running.delete(child);
  }
}

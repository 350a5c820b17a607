import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Temporal's Python SDK, another SDK than ours, as other services have it. */
const REQUIREMENT = 'temporalio==1.35.0';

/** A Python with the SDK, installed once into `.rackwright/peers` (or `RACKWRIGHT_PEERS`). */
export async function pythonWithTemporal(): Promise<string> {
  const peers = resolve(process.env['RACKWRIGHT_PEERS'] ?? join('.rackwright', 'peers'));
  const venv = join(peers, 'venv-python');
  const complete = join(venv, `.${REQUIREMENT}`);
  const lock = join(peers, 'venv-python.lock');
  await mkdir(peers, { recursive: true });
  for (let waited = 0; waited < 300; waited++) {
    if (existsSync(complete)) return join(venv, 'bin', 'python');
    try {
      await mkdir(lock);
    } catch {
      await sleep(1000);
      continue;
    }
    try {
      await run('python3', ['-m', 'venv', venv]);
      await run(join(venv, 'bin', 'pip'), ['install', '--quiet', '--only-binary', ':all:', REQUIREMENT], {
        timeout: 280_000,
      });
      await writeFile(complete, '');
    } finally {
      await rmdir(lock);
    }
  }
  throw new Error(`${lock} is still there: another process installs, or died while it did`);
}

// What must be there before anything runs: the packages of package-lock.json.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a command in the root with our own output; ends the process if it fails. */
export function run(command, args, options = {}) {
  const { status, signal, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (error) throw error;
  if (status === 0) return;
  process.exitCode = status ?? (signal === 'SIGINT' ? 130 : 1);
  throw new CommandFailed(command, process.exitCode);
}

/** What a command has said itself needs no stack trace. */
class CommandFailed extends Error {
  constructor(command, code) {
    super(`${command} ended with ${code}`);
    this.stack = this.message;
  }
}

/** Runs a program of node_modules. */
export const tool = (name, args, options) => run(join(ROOT, 'node_modules', '.bin', name), args, options);

/** npm ci, unless node_modules is there and not older than the lock file. */
export function prepare() {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  const lock = join(ROOT, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('installing packages (npm ci) …');
  // stdout is for the answer of whatever comes next.
  run('npm', ['ci', '--no-audit', '--no-fund'], { stdio: ['ignore', 2, 2] });
}

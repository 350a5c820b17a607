// What must be there before anything runs: the packages of package-lock.json.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
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

/** npm ci, unless what is installed is what the lock file says. */
export function prepare() {
  if (isInstalled()) return;
  console.error('installing packages (npm ci) …');
  // stdout is for the answer of whatever comes next.
  run('npm', ['ci', '--no-audit', '--no-fund'], { stdio: ['ignore', 2, 2] });
}

/** By content, not by time: a checkout makes every file new, and changes none of them. */
function isInstalled() {
  const wanted = packagesOf(join(ROOT, 'package-lock.json'));
  const installed = packagesOf(join(ROOT, 'node_modules', '.package-lock.json'));
  return (
    installed !== undefined &&
    Object.entries(wanted).every(
      ([path, { version, optional }]) =>
        path === '' || (optional && !installed[path]) || installed[path]?.version === version,
    )
  );
}

/** The packages that a lock file names, by path; undefined where there is none. */
const packagesOf = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined);

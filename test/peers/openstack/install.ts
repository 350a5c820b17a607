import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { once, peersFolder } from '../once.ts';
import { MARIADB, RABBITMQ } from './infra.ts';

const run = promisify(execFile);
const INSTALL_MS = 20 * 60_000;

/** Packages of Debian that the whole needs beside Python. */
export const OPENSTACK_PACKAGES = ['mariadb-server', 'rabbitmq-server', 'python3-venv'] as const;

const FILES: { readonly [path: string]: (typeof OPENSTACK_PACKAGES)[number] } = {
  [MARIADB]: 'mariadb-server',
  '/usr/bin/mariadb-install-db': 'mariadb-server',
  [RABBITMQ]: 'rabbitmq-server',
};

/** Why the whole OpenStack cannot run here, as a sentence; undefined where it can. */
export function missingForOpenStack(): string | undefined {
  const absent = [...new Set(Object.keys(FILES).flatMap((path) => (existsSync(path) ? [] : [FILES[path]!])))];
  if (absent.length === 0) return undefined;
  return `OpenStack needs ${absent.join(' and ')}: apt-get install --no-install-recommends ${OPENSTACK_PACKAGES.join(' ')}`;
}

const listOf = (set: 'small' | 'whole'): string =>
  fileURLToPath(new URL(`requirements-${set}.txt`, import.meta.url));

/** What changes when another version of anything is to be installed. */
export const requirementsState = (set: 'small' | 'whole'): string =>
  createHash('sha256')
    .update(readFileSync(listOf(set)))
    .digest('hex')
    .slice(0, 16);

/**
 * Installs the services of OpenStack 2026.1, once for each state of the list of requirements.
 *
 * The lists hold each package with its version, within the upper constraints of OpenStack 2026.1. All are wheels, or
 * Python alone: nothing is compiled.
 *
 * @returns the folder of the virtual environment
 */
export async function openStackVenv(set: 'small' | 'whole'): Promise<string> {
  const venv = join(peersFolder(), `venv-openstack-${set}`);
  const done = join(venv, `.${requirementsState(set)}`);
  await once(done, `${venv}.lock`, async () => {
    await run('python3', ['-m', 'venv', '--clear', venv]);
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '-r', listOf(set)];
    await run(join(venv, 'bin', 'python'), install, { timeout: INSTALL_MS });
    await writeFile(done, '');
  });
  return venv;
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtOnce, peersFolder } from '../once.ts';
import { requirementsState } from './install.ts';
import { configArguments, type Service } from './services.ts';
import * as s from './site.ts';
import type { Site } from './site.ts';

/** What a new database and Keystone's first account are made with: each service's own program. */

const run = promisify(execFile);
const FILES = ['keystone.sqlite', 'glance.sqlite', 'ironic.sqlite'] as const;

export async function makeSchemas(site: Site): Promise<void> {
  const make = async (service: Service, program: string, ...args: string[]): Promise<void> => {
    const asked = [...configArguments(site, service), ...args];
    await run(s.bin(site, program), asked, { maxBuffer: 64 << 20 });
  };
  const small = async (): Promise<void> => {
    await Promise.all([
      make('keystone', 'keystone-manage', 'db_sync'),
      make('glance', 'glance-manage', 'db_sync'),
      make('ironic-conductor', 'ironic-dbsync', 'create_schema'),
    ]);
  };
  const nova = async (): Promise<void> => {
    const manage = (...args: string[]): Promise<void> => make('nova-api', 'nova-manage', ...args);
    await manage('api_db', 'sync');
    await manage('cell_v2', 'map_cell0', '--database_connection', s.database(site, 'nova_cell0'));
    await manage('cell_v2', 'create_cell', '--name', 'cell1');
    await manage('db', 'sync');
  };
  makeKeys(site);
  if (site.whole) {
    await small();
    await Promise.all([
      nova(),
      make('neutron-api', 'neutron-db-manage', 'upgrade', 'heads'),
      make('placement', 'placement-manage', 'db', 'sync'),
    ]);
  } else {
    await keptFiles(site, small);
  }
  const urls = ['admin', 'internal', 'public'].flatMap((kind) => [
    `--bootstrap-${kind}-url`,
    s.endpoint(site, 'keystone'),
  ]);
  const first = ['bootstrap', '--bootstrap-password', s.ADMIN.password];
  await make('keystone', 'keystone-manage', ...first, '--bootstrap-region-id', s.REGION, ...urls);
}

/** Keystone's keys: 0 is the one that comes next, the highest the one that signs. */
function makeKeys(site: Site): void {
  for (const kind of ['fernet-keys', 'credential-keys']) {
    const folder = s.etc(site, 'keystone', kind);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of ['0', '1']) {
      const key = randomBytes(32).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
      writeFileSync(join(folder, name), key, { mode: 0o600 });
    }
  }
}

/** Migrating from nothing takes longer than all the rest: empty databases are made once, and copied. */
async function keptFiles(site: Site, migrate: () => Promise<void>): Promise<void> {
  const kept = join(peersFolder(), `openstack-databases-${requirementsState('small')}`);
  await builtOnce(kept, async (aside) => {
    await migrate();
    await withReaders(site);
    mkdirSync(aside);
    for (const name of FILES) copyFileSync(s.state(site, name), join(aside, name));
  });
  for (const name of FILES)
    if (!existsSync(s.state(site, name))) copyFileSync(join(kept, name), s.state(site, name));
}

/** Keystone reads in one connection and writes in another: sqlite lets it with a write-ahead log alone. */
async function withReaders(site: Site): Promise<void> {
  for (const name of FILES) {
    const file = JSON.stringify(s.state(site, name));
    const set = `import sqlite3; sqlite3.connect(${file}).execute('PRAGMA journal_mode=WAL')`;
    await run(s.bin(site, 'python'), ['-c', set]);
  }
}

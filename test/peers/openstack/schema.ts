import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { configArguments, type Service } from './services.ts';
import * as s from './site.ts';
import type { Site } from './site.ts';

/** What a new database and Keystone's keys are made with: each service's own program. */

const run = promisify(execFile);

export async function makeSchemas(site: Site): Promise<void> {
  const make = async (service: Service, program: string, ...args: string[]): Promise<void> => {
    await run(s.bin(site, program), [...configArguments(site, service), ...args], { maxBuffer: 64 << 20 });
  };
  const keystone = async (): Promise<void> => {
    for (const keys of ['fernet-keys', 'credential-keys'])
      mkdirSync(s.etc(site, 'keystone', keys), { recursive: true, mode: 0o700 });
    const { username: user, gid } = userInfo();
    const { stdout } = await run('id', ['-gn', String(user)]);
    const owner = ['--keystone-user', user, '--keystone-group', stdout.trim() || String(gid)];
    const urls = ['admin', 'internal', 'public'].flatMap((kind) => [
      `--bootstrap-${kind}-url`,
      s.endpoint(site, 'keystone'),
    ]);
    await make('keystone', 'keystone-manage', 'fernet_setup', ...owner);
    await make('keystone', 'keystone-manage', 'credential_setup', ...owner);
    await make('keystone', 'keystone-manage', 'db_sync');
    await make(
      'keystone',
      'keystone-manage',
      'bootstrap',
      '--bootstrap-password',
      s.ADMIN.password,
      '--bootstrap-region-id',
      s.REGION,
      ...urls,
    );
  };
  const nova = async (): Promise<void> => {
    const manage = (...args: string[]): Promise<void> => make('nova-api', 'nova-manage', ...args);
    await manage('api_db', 'sync');
    await manage('cell_v2', 'map_cell0', '--database_connection', s.database(site, 'nova_cell0'));
    await manage('cell_v2', 'create_cell', '--name', 'cell1');
    await manage('db', 'sync');
  };
  const glance = () => make('glance', 'glance-manage', 'db_sync');
  const ironic = () => make('ironic-conductor', 'ironic-dbsync', 'create_schema');
  const placement = () => make('placement', 'placement-manage', 'db', 'sync');
  const neutron = () => make('neutron-api', 'neutron-db-manage', 'upgrade', 'heads');
  await Promise.all([keystone(), glance(), ironic()]);
  if (site.whole) await Promise.all([nova(), neutron(), placement()]);
  else await withReaders(site);
}

/** Keystone reads in one connection and writes in another: sqlite lets it with a write-ahead log alone. */
async function withReaders(site: Site): Promise<void> {
  for (const name of ['keystone', 'glance', 'ironic']) {
    const file = s.state(site, `${name}.sqlite`);
    const set = `import sqlite3; sqlite3.connect(${JSON.stringify(file)}).execute('PRAGMA journal_mode=WAL')`;
    await run(s.bin(site, 'python'), ['-c', set]);
  }
}

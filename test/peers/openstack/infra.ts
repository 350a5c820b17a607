import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answers } from '../../../client/up/ports.ts';
import { until } from './api.ts';
import type { Program } from '../programs.ts';
import * as s from './site.ts';
import type { Site } from './site.ts';

/** MariaDB and RabbitMQ of Debian, with all that they write in the folder of the peer. */

const run = promisify(execFile);

export const MARIADB = '/usr/sbin/mariadbd';
export const RABBITMQ = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const SCHEMAS = ['keystone', 'glance', 'ironic', 'placement', 'neutron', 'nova', 'nova_api', 'nova_cell0'];

/** Asks the database as its root. */
export const sql = async (site: Site, statement: string): Promise<string> =>
  (
    await run('mariadb', ['--no-defaults', '-uroot', '-S', s.socket(site), '-N', '-e', statement])
  ).stdout.trim();

/** The database's own tables. */
export async function installDatabase(site: Site): Promise<void> {
  await run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${s.state(site, 'mariadb')}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...asRoot(),
  ]);
}

/** A schema for each service, and the account that they share. */
export const createSchemas = (site: Site): Promise<string> =>
  sql(
    site,
    [
      "CREATE USER openstack@localhost IDENTIFIED BY 'openstack'",
      ...SCHEMAS.flatMap((name) => [
        `CREATE DATABASE ${name} CHARACTER SET utf8mb3`,
        `GRANT ALL ON ${name}.* TO openstack@localhost`,
      ]),
    ].join('; '),
  );

export const mariadb = (site: Site): Program => ({
  name: 'mariadb',
  log: s.log(site, 'mariadb'),
  command: [
    MARIADB,
    '--no-defaults',
    `--datadir=${s.state(site, 'mariadb')}`,
    `--socket=${s.socket(site)}`,
    `--pid-file=${s.state(site, 'mariadb.pid')}`,
    '--skip-networking',
    '--max-connections=500',
    '--character-set-server=utf8mb3',
    '--collation-server=utf8mb3_general_ci',
    // What a test writes need not outlive a power cut of the host.
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-doublewrite=0',
    '--skip-log-bin',
    ...asRoot(),
  ],
  ready: async () => existsSync(s.socket(site)) && (await sql(site, 'SELECT 1').catch(() => '')) === '1',
});

const asRoot = (): string[] => (process.getuid?.() === 0 ? ['--user=root'] : []);

/** Erlang's directory of nodes: started by RabbitMQ itself, it would stay behind. */
export const epmd = (site: Site): Program => ({
  name: 'epmd',
  log: s.log(site, 'epmd'),
  command: ['epmd', '-port', String(site.ports.epmd), '-address', '127.0.0.1'],
  ready: () => answers('127.0.0.1', site.ports.epmd),
});

export function rabbitmq(site: Site): Program {
  const home = s.state(site, 'rabbitmq');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'enabled_plugins'), '[].\n');
  return {
    name: 'rabbitmq',
    log: s.log(site, 'rabbitmq'),
    command: [RABBITMQ],
    env: {
      HOME: home,
      ERL_EPMD_PORT: String(site.ports.epmd),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      RABBITMQ_NODENAME: `peer-${site.ports.amqp}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(site.ports.amqp),
      RABBITMQ_DIST_PORT: String(site.ports['amqp-nodes']),
      RABBITMQ_MNESIA_BASE: join(home, 'mnesia'),
      RABBITMQ_LOG_BASE: join(site.folder, 'log'),
      RABBITMQ_CONFIG_FILE: join(home, 'rabbitmq'),
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
      RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'enabled_plugins'),
      RABBITMQ_PID_FILE: join(home, 'pid'),
    },
    ready: () => answers('127.0.0.1', site.ports.amqp),
  };
}

/** Has Nova look for computes until it knows both. */
export async function mapComputes(site: Site, config: readonly string[]): Promise<void> {
  await until('both computes', async () => {
    await run(s.bin(site, 'nova-manage'), [...config, 'cell_v2', 'discover_hosts']);
    return (await sql(site, 'SELECT COUNT(*) FROM nova_api.host_mappings')) === '2';
  });
}

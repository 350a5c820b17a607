import { describe, expect, it } from 'vitest';
import { defaultCommand, statusCommandOf, withoutLogin } from '../../../core/openstack/status-commands.ts';

const table = (...rows: [string, string][]): string =>
  [
    '+----+',
    '| Upgrade Check Results |',
    '+----+',
    ...rows.map(
      ([name, result]) => `| Check: ${name}   |\n| Result: ${result}  |\n| Details: None |\n+----+`,
    ),
  ].join('\n');
const HEADS = '  Running current for neutron ...\n5c85685d616d (head)\nd0ddd9a5c1c9 (expand) (head)\n  OK\n';

/** Words, exit code, what is said, and what that shows. */
const CASES: [string, Parameters<typeof statusCommandOf>[0], string, number, string, unknown][] = [
  ['keystone up to date', 'identity', '', 0, '', { right: 'up to date' }],
  [
    'keystone without a schema',
    'identity',
    '',
    2,
    '',
    { wrong: 'its database is to be expanded', correction: 'keystone-manage db_sync --expand' },
  ],
  [
    'keystone not contracted',
    'identity',
    '',
    4,
    '',
    { wrong: 'its database is to be contracted', correction: 'keystone-manage db_sync --contract' },
  ],
  [
    'keystone that crashed',
    'identity',
    '',
    1,
    'Traceback\nsqlalchemy.exc.OperationalError: mysql://keystone:s3cret@db/keystone',
    {
      untold: 'it ended with 1: sqlalchemy.exc.OperationalError: mysql://[redacted]@db/keystone',
    },
  ],
  [
    'no such program',
    'identity',
    '',
    127,
    'sh: keystone-manage: not found',
    { untold: 'it ended with 127: sh: keystone-manage: not found' },
  ],
  ['glance up to date', 'image', '', 0, '', { right: 'up to date' }],
  [
    'glance to be expanded',
    'image',
    '',
    3,
    '',
    { wrong: 'its database is to be expanded', correction: 'glance-manage db expand' },
  ],
  [
    'glance to be migrated',
    'image',
    '',
    4,
    '',
    { wrong: 'data of its database is to be migrated', correction: 'glance-manage db migrate' },
  ],
  [
    'glance to be contracted',
    'image',
    '',
    5,
    '',
    { wrong: 'its database is to be contracted', correction: 'glance-manage db contract' },
  ],
  ['neutron at its heads', 'network', HEADS, 0, '', { right: 'at its head' }],
  [
    'neutron behind',
    'network',
    HEADS.replace('d0ddd9a5c1c9 (expand) (head)', 'd0ddd9a5c1c9 (expand)'),
    0,
    '',
    {
      wrong: 'its database is at d0ddd9a5c1c9, which is not the head',
      correction: expect.stringContaining('neutron-db-manage upgrade heads'),
    },
  ],
  [
    'neutron without a schema',
    'network',
    '  Running current for neutron ...\n  OK\n',
    0,
    '',
    { wrong: 'its database has no schema', correction: expect.any(String) },
  ],
  ['neutron that says nothing', 'network', '', 0, '', { untold: 'it ended with 0' }],
  ['nova ready', 'compute', table(['Ironic', 'Success']), 0, '', { right: 'ready' }],
  [
    'nova with a warning',
    'compute',
    table(['Ironic', 'Success'], ['hw_machine_type unset', 'Warning']),
    1,
    '',
    { right: 'ready, with a warning: hw_machine_type unset' },
  ],
  [
    'nova with a failure',
    'compute',
    table(['Cells v2', 'Failure'], ['Placement', 'Failure'], ['Ironic', 'Success']),
    2,
    '',
    {
      wrong: 'an upgrade step is not done: Cells v2, Placement',
      correction: expect.stringContaining('nova-status upgrade check'),
    },
  ],
  [
    'nova without its configuration',
    'compute',
    '',
    1,
    'oslo_config.cfg.ConfigFilesNotFoundError: Failed to find some config files: /x',
    { untold: expect.stringContaining('Failed to find some config files') },
  ],
  ['nova that crashed', 'compute', 'Error:\nTraceback', 255, '', { untold: 'it ended with 255: Traceback' }],
];

describe('a status command', () => {
  it.each(CASES)('%s', (_what, service, stdout, exitCode, stderr, shown) => {
    const command = statusCommandOf(service, defaultCommand(service))!;
    expect(command.judge({ exitCode, stdout, stderr })).toEqual(shown);
  });

  it('tells what is left for a stopped Neutron, where it says so', () => {
    const command = statusCommandOf('network', ['neutron-db-manage', 'has_offline_migrations'])!;
    const told = 'Need to apply migrations from neutron contract branch. This will require …';
    expect(command.judge({ exitCode: 1, stdout: told, stderr: '' })).toMatchObject({
      wrong: 'a migration is left that needs it to be stopped',
    });
    expect(command.judge({ exitCode: 1, stdout: '', stderr: 'Traceback' })).toMatchObject({
      untold: 'it ended with 1: Traceback',
    });
  });

  it.each<[boolean, Parameters<typeof statusCommandOf>[0], string]>([
    [true, 'identity', 'keystone-manage db_sync --check'],
    [true, 'identity', 'sudo docker exec keystone keystone-manage --config-file /etc/k.conf db_sync --check'],
    [true, 'identity', '/opt/venv/bin/keystone-manage --config-dir=/etc/keystone db_sync --check'],
    [true, 'placement', 'env OS_PLACEMENT_CONFIG_DIR=/etc/placement placement-status upgrade check'],
    [true, 'network', 'neutron-db-manage --config-file /a --config-file /b current'],
    [true, 'baremetal', 'ironic-status upgrade check'],
    // What would change something, is another service's, or is none at all.
    [false, 'identity', 'keystone-manage db_sync'],
    [false, 'identity', 'keystone-manage db_sync --check --expand'],
    [false, 'identity', 'keystone-manage bootstrap db_sync --check'],
    [false, 'image', 'glance-manage db sync'],
    [false, 'compute', 'nova-manage db sync'],
    [false, 'compute', 'keystone-manage db_sync --check'],
    [false, 'network', 'neutron-db-manage upgrade heads'],
    [false, 'identity', 'db_sync --check'],
    [false, 'identity', 'echo db_sync --check keystone-manage'],
  ])('is one: %s of %s, %s', (is, service, words) => {
    expect(statusCommandOf(service, words.split(' ')) !== undefined).toBe(is);
  });

  it('has no login in what it said', () => {
    expect(withoutLogin("create_engine('mysql+pymysql://nova:p%40ss@10.0.0.1/nova?x')")).toBe(
      "create_engine('mysql+pymysql://[redacted]@10.0.0.1/nova?x')",
    );
    for (const login of ['nova:s3cret@left', 'nova:s3cret/left', 'rpc:s3cret@c1:5672,rpc:left'])
      expect(withoutLogin(`at rabbit://${login}@c2:5672// today`)).toBe(
        'at rabbit://[redacted]@c2:5672// today',
      );
  });
});

import { expect, it } from 'vitest';
import { crossCheck } from '../../../contracts/inventory/cross-checks.ts';
import { vantageFindings } from '../../../contracts/inventory/vantage-checks.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';

const withCommand = (command: object) =>
  Inventory.safeParse({ site: 's', openstack: { commands: [{ service: 'identity', ...command }] } });

it.each([
  { from: 'jump' },
  { from: 'jump', command: ['sudo', 'keystone-manage', '--config-file', '/k.conf', 'db_sync', '--check'] },
  { from: { namespace: 'openstack', labels: 'app=keystone', container: 'api' } },
])('a status command that only reads is taken: %j', (command) => {
  expect(withCommand(command).success).toBe(true);
});

it.each([
  { from: 'jump', command: ['keystone-manage', 'db_sync'] },
  { from: 'jump', command: ['glance-manage', 'db', 'check'] },
  { from: 'jump', command: ['sh', '-c', 'keystone-manage db_sync --check'] },
])('one that changes something, or tells nothing known, is not: %j', (command) => {
  const { success, error } = withCommand(command);
  expect(success).toBe(false);
  expect(error!.issues).toMatchObject([
    { path: ['openstack', 'commands', 0, 'command'], message: expect.stringContaining('changes nothing') },
  ]);
});

it('vantage points of operators and of status commands have to be there; the worker is one of operators alone', () => {
  const raw = (from: string) => ({ acceptance: { operator: from }, openstack: { commands: [{ from }] } });
  const points = { vantagePoints: [{ name: 'jump', ssh: {} }] };
  const paths = (from: string) =>
    vantageFindings({ ...points, ...raw(from) }).map(({ path }) => path.join('.'));
  expect(paths('jump')).toEqual([]);
  expect(paths('elsewhere')).toEqual(['acceptance.operator', 'openstack.commands.0.from']);
  expect(paths('worker')).toEqual(['openstack.commands.0.from']);
});

it.each<[string, object, string[]]>([
  ['a cloud nobody is to ask', { openstack: { authUrl: 'https://k/v3' } }, ['openstack.authUrl']],
  ['a cloud, and as whom it is asked', { openstack: { authUrl: 'https://k/v3', credentials: {} } }, []],
  [
    'a pod without Kubernetes',
    { openstack: { commands: [{ from: { namespace: 'openstack' } }] } },
    ['openstack.commands.0.from'],
  ],
  [
    'a pod of Kubernetes',
    { kubernetes: {}, openstack: { commands: [{ from: { namespace: 'openstack' } }] } },
    [],
  ],
  [
    'an image in Glance without a cloud',
    { openstack: { bareMetal: { deployImages: [{ url: 'https://i/k' }, { glance: 'kernel' }] } } },
    ['openstack.bareMetal.deployImages.1.glance'],
  ],
])('what only a run would tell is told before: %s', (_what, raw, paths) => {
  expect(crossCheck(raw).map(({ path }) => path.join('.'))).toEqual(paths);
});

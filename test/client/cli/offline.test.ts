import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../../client/up/ports.ts';
import { cli, temporaryFolder } from '../../support/cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const write = (name: string, text: string): string => {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
};

const INVENTORY = `site: berlin
networks: { provisioning: { cidr: 127.0.0.0/8, kind: provisioning } }
media: { gatewayUrl: http://127.0.0.1:8300, iso: agent.iso }
images:
  - { name: ubuntu, url: ubuntu.raw, checksum: "sha256:${'0'.repeat(64)}", format: raw }
machineTypes: [{ name: gpu }]
nodes:
  - name: n1
    type: gpu
    bmc: { address: https://127.0.0.1:9, credentials: { username: admin, password: env:BMC } }
`;
write('agent.iso', '');
write('ubuntu.raw', '');
const inventory = write('site.yaml', INVENTORY);
const at = { cwd: folder.path };
const [deadPort] = await freePorts(1);
const dead = ['--address', `127.0.0.1:${deadPort}`, '--site', 'berlin'];

describe('validate', () => {
  test('a valid inventory: exit 0', async () => {
    const { code, stdout } = await cli(['validate', inventory]);
    expect(stdout).toContain('is valid: site berlin, 1 node\n');
    expect(code).toBe(0);
  });

  test('an invalid one: exit 2, and file, line and field of every error', async () => {
    const wrong = write(
      'wrong.yaml',
      INVENTORY.replace('type: gpu', 'type: cpu').replace('env:BMC', 'hunter2'),
    );
    const { code, stdout, stderr } = await cli(['validate', wrong]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/wrong\.yaml:9:\d+: nodes\[0\]\.type /);
    expect(stderr).toMatch(/wrong\.yaml:10:\d+: nodes\[0\].bmc\.credentials\.password /);
    expect(stderr).not.toContain('hunter2');
  });

  test('--json is one document, also for errors', async () => {
    const wrong = write('wrong-too.yaml', INVENTORY.replace('site: berlin', 'site: Berlin!'));
    const { code, stdout } = await cli(['validate', wrong, '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, problems: [{ path: 'site', line: 1 }] });
  });

  test('--diff names what changed, by path', async () => {
    const newer = write('newer.yaml', INVENTORY.replace('127.0.0.1:9', '127.0.0.1:10'));
    const { code, stdout } = await cli(['validate', newer, '--diff', inventory]);
    expect(code).toBe(0);
    expect(stdout).toContain('~ nodes[n1].bmc.address: "https://127.0.0.1:9" → "https://127.0.0.1:10"');
  });
});

test('schema is a JSON Schema', async () => {
  const { code, stdout } = await cli(['schema']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: 'Rackwright inventory', type: 'object' });
});

describe('wrong usage: exit 2, with the code, what is wrong and what to do', () => {
  test.each([
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['node', 'frobnicate', 'n1'], "unknown command 'frobnicate'"],
    [['node', 'deploy'], "missing required argument 'node'"],
    [['node', 'deploy', 'n1', '--frob'], "unknown option '--frob'"],
    [['node', 'deploy', 'n1'], 'deploy: image is required'],
    [['node', 'deploy', 'n1', '--image', 'U!'], 'deploy: image must be the name of an image'],
    [['node', 'clean', 'n1', '--erase', 'most'], 'clean: erase must be one of metadata, full'],
    [['node', 'clean', 'n1', '--deadline', 'soon'], 'clean: deadline must be a duration'],
    [['node', 'maintenance', 'n1', 'on'], 'maintenance: reason is required'],
    [['node', 'power', 'n1', 'sideways'], 'power: state must be one of on, off, reboot'],
    [['node', 'enroll', 'N 1'], 'node must be a name'],
    [['node', 'enroll', 'n1', '--request-id', 'cleanup-1'], 'enroll: requestId must be'],
    [['op', 'list', '--limit', 'all'], 'limit must be a whole number'],
    [['plan', 'frobnicate', 'n1'], 'verb must be one of'],
    [['up'], 'up needs --inventory FILE, or --lab'],
  ])('%j', async (args, message) => {
    const [plain, json] = await Promise.all([cli(args, at), cli([...args, '--json'], at)]);
    expect(plain.code).toBe(2);
    expect(plain.stdout).toBe('');
    expect(plain.stderr).toContain(`INVALID_MESSAGE (orchestrator): ${message}`);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: { code: 'INVALID_MESSAGE', correction: expect.stringContaining('--help') as string },
    });
  });
});

test('nothing runs and no site is given: exit 3, and the folder that was looked in', async () => {
  const { code, stderr } = await cli(['node', 'list', '--data-dir', 'empty'], at);
  expect(code).toBe(3);
  expect(stderr).toContain('TEMPORAL_UNREACHABLE');
  expect(stderr).toContain(join(folder.path, 'empty'));
});

test('an image that the inventory lacks: exit 2, before anything is asked of a node', async () => {
  const args = ['node', 'deploy', 'n1', '--image', 'debian', '--inventory', inventory];
  const { code, stderr } = await cli([...args, ...dead.slice(0, 2)], at);
  expect(stderr).toContain('IMAGE_UNKNOWN');
  expect(stderr).toContain('It has: ubuntu.');
  expect(code).toBe(2);
});

test('--help of a command tells the options for all commands too', async () => {
  const { stdout } = await cli(['node', 'show', '--help']);
  expect(stdout).toContain('--json');
});

describe('nothing answers: exit 3, and what to do', () => {
  test.each([
    [['status']],
    [['node', 'list']],
    [['node', 'show', 'n1']],
    [['node', 'enroll', 'n1', '--no-wait']],
    [['op', 'list']],
    [['op', 'abort', 'x', '--reason', 'y']],
  ])('%j', async (args) => {
    const { code, stdout, stderr } = await cli([...args, ...dead, '--json'], at);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'TEMPORAL_UNREACHABLE' } });
    expect(stderr).toContain(`127.0.0.1:${deadPort}`);
    expect(stderr).toContain('rackwright up');
  });
});

describe('plan', () => {
  const plan = (...args: string[]) =>
    cli(['plan', ...args, '--inventory', inventory, ...dead.slice(0, 2)], at);

  test('shows the steps, and says that the state of the node is not known', async () => {
    const { code, stdout } = await plan('deploy', 'n1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^deploy of n1 by driver redfish: deploying → active$/m);
    expect(stdout).toMatch(/^insert-media +/m);
    expect(stdout).toContain('Whether the node would accept it is not known');
  });

  test('--json has them as data', async () => {
    const { stdout } = await plan('clean', 'n1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      verb: 'clean',
      driver: 'redfish',
      accepted: null,
      to: 'available',
    });
  });

  test('what the driver cannot do: NOT_SUPPORTED, exit 1', async () => {
    const { code, stderr } = await plan('rescue', 'n1');
    expect(stderr).toContain('NOT_SUPPORTED');
    expect(code).toBe(1);
  });

  test.each([
    [['deploy', 'n2'], 'NODE_UNKNOWN'],
    [['deploy', 'n1', '--image', 'debian'], 'IMAGE_UNKNOWN'],
  ])('unknown names: exit 2: %j', async (args, expected) => {
    const { code, stderr } = await plan(...args);
    expect(stderr).toContain(expected);
    expect(code).toBe(2);
  });
});

test('evidence that is not there: exit 1, and nothing else on stdout', async () => {
  const { code, stdout } = await cli(['evidence', 'show', 'berlin/n1/r1/connect.state.1', '--json'], at);
  expect([1, 2]).toContain(code);
  expect(JSON.parse(stdout)).toHaveProperty('error.code');
});

test('--help and --version: exit 0', async () => {
  expect(await cli(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  const { code, stdout } = await cli(['node', '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('decommission');
});

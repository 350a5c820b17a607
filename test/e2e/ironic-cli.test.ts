import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeRecord } from '../../core/node.ts';
import { startIronic, type IronicPeer } from '../peers/ironic.ts';
import { until } from '../workflows/support.ts';
import { startProduct, type Product } from './support/product.ts';

/** The same command line as for Redfish, and a standalone Ironic below. */
const NODE = 'fake-1';
const MAC = '52:54:00:f0:00:01';

let peer: IronicPeer;
let product: Product;

const inventory = (gatewayUrl: string, ironicUrl: string): string =>
  stringify({
    site: 'ironic-cli',
    bmc: { watch: { interval: '2s' } },
    openstack: { ironic: { url: ironicUrl, auth: 'none' } },
    images: ['one', 'two'].map((name) => ({
      name,
      url: `${gatewayUrl}/${name}.raw`,
      checksum: `sha256:${(name === 'one' ? 'a' : 'b').repeat(64)}`,
      format: 'raw',
    })),
    machineTypes: [{ name: 'any', resourceClass: 'baremetal' }],
    nodes: [
      {
        name: NODE,
        type: 'any',
        driver: 'ironic',
        ironic: { driver: 'fake-hardware', interfaces: { deploy: 'fake', inspect: 'fake' } },
        ports: [{ mac: MAC }],
      },
    ],
  });

beforeAll(async () => {
  peer = await startIronic();
  product = await startProduct({ inventory: ({ gatewayUrl }) => inventory(gatewayUrl, peer.url) });
});
afterAll(async () => {
  await product?.stop();
  await peer?.stop();
});

interface IronicNode {
  readonly provision_state: string;
  readonly power_state: string;
  readonly instance_info: Record<string, unknown>;
}

/** What Ironic itself says of the node; undefined if it knows none. */
async function inIronic(): Promise<IronicNode | undefined> {
  const answer = await fetch(`${peer.url}/v1/nodes/${NODE}`, {
    headers: { 'x-openstack-ironic-api-version': '1.82' },
  });
  return answer.status === 404 ? undefined : ((await answer.json()) as IronicNode);
}

interface Verdict {
  readonly outcome: string;
  readonly phase: string;
  readonly residue: readonly string[];
}

const verb = (...args: string[]): Promise<Verdict> => product.json<Verdict>('node', ...args);
const passed = (phase: string) => ({ outcome: 'pass', phase, residue: [] });

test('enroll registers the node in Ironic and inspects it there', async () => {
  expect(await verb('enroll', NODE)).toMatchObject(passed('manageable'));
  expect(await inIronic()).toMatchObject({ provision_state: 'manageable' });
});

test('inspect leaves it where it was', async () => {
  expect(await verb('inspect', NODE)).toMatchObject(passed('manageable'));
});

test('clean makes it available there, too', async () => {
  expect(await verb('clean', NODE)).toMatchObject(passed('available'));
  expect(await inIronic()).toMatchObject({ provision_state: 'available' });
});

test('deploy writes the image of the contract', async () => {
  expect(await verb('deploy', NODE, '--image', 'one', '--owner', 'alice')).toMatchObject(passed('active'));
  expect(await inIronic()).toMatchObject({
    provision_state: 'active',
    instance_info: { image_os_hash_value: 'a'.repeat(64) },
  });
  expect(await product.json<NodeRecord>('node', 'show', NODE)).toMatchObject({
    phase: 'active',
    owner: 'alice',
    image: 'one',
  });
});

test('reimage rebuilds with another one, for the same owner', async () => {
  expect(await verb('reimage', NODE, '--image', 'two')).toMatchObject(passed('active'));
  expect(await inIronic()).toMatchObject({
    provision_state: 'active',
    instance_info: { image_os_hash_value: 'b'.repeat(64) },
  });
  expect(await product.json<NodeRecord>('node', 'show', NODE)).toMatchObject({
    owner: 'alice',
    image: 'two',
  });
});

test('power switches off, on, and reboots', async () => {
  for (const [state, reads] of [
    ['off', 'power off'],
    ['on', 'power on'],
    ['reboot', 'power on'],
  ] as const) {
    expect(await verb('power', NODE, state)).toMatchObject(passed('active'));
    expect(await inIronic()).toMatchObject({ power_state: reads, provision_state: 'active' });
  }
});

test('power that another client of Ironic changed is named', async () => {
  const show = () => product.json<NodeRecord>('node', 'show', NODE);
  expect((await show()).powerChange ?? null).toBeNull();
  const put = await fetch(`${peer.url}/v1/nodes/${NODE}/states/power`, {
    method: 'PUT',
    headers: { 'x-openstack-ironic-api-version': '1.82', 'content-type': 'application/json' },
    body: JSON.stringify({ target: 'power off' }),
  });
  expect(put.status).toBe(202);
  await until(async () => (await show()).power === 'off', { what: 'the watch to see it' });
  expect(await show()).toMatchObject({
    powerChange: { from: 'on', to: 'off', by: 'outside' },
    health: 'no fault in Ironic',
  });
  expect(await verb('power', NODE, 'on')).toMatchObject(passed('active'));
  expect(await show()).toMatchObject({ power: 'on', powerChange: null });
});

test('rescue is not offered yet, and says so with exit 1', async () => {
  const { code, stdout, stderr } = await product.cli('node', 'rescue', NODE, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'NOT_SUPPORTED' } });
  expect(stderr).toContain('NOT_SUPPORTED');
  expect(await product.json<NodeRecord>('node', 'show', NODE)).toMatchObject({
    phase: 'active',
    operation: null,
  });
});

test('release takes the instance down and gives the node back', async () => {
  expect(await verb('release', NODE)).toMatchObject(passed('available'));
  expect(await inIronic()).toMatchObject({ provision_state: 'available', instance_info: {} });
  expect(await product.json<NodeRecord>('node', 'show', NODE)).toMatchObject({ owner: null, image: null });
});

test('decommission removes it from Ironic', async () => {
  expect(await verb('decommission', NODE)).toMatchObject(passed('decommissioned'));
  expect(await inIronic()).toBeUndefined();
  const { nodes } = await product.json<{ nodes: { node: string; phase: string }[] }>('node', 'list');
  expect(nodes).toMatchObject([{ node: NODE, phase: 'decommissioned', flags: [] }]);
});

test('every step is told in the history, with its evidence', async () => {
  const { operations } = await product.json<{ operations: { kind: string; outcome: string }[] }>(
    'node',
    'history',
    NODE,
  );
  const kinds = operations.map(({ kind }) => kind).toReversed();
  expect(kinds.filter((kind) => kind !== 'power')).toEqual([
    'enroll',
    'inspect',
    'clean',
    'deploy',
    'reimage',
    'release',
    'decommission',
  ]);
  expect(operations.every(({ outcome }) => outcome === 'pass')).toBe(true);
  // What the operations did to the power was nobody else's doing.
  const { changes } = await product.json<{ changes: NodeRecord['changes'] }>('node', 'history', NODE);
  const power = changes!.filter(({ what }) => what === 'power');
  expect(power.map(({ from, to }) => [from, to])).toEqual([['on', 'off']]);
});

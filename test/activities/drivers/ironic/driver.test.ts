import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ironicDriver } from '../../../../activities/drivers/ironic/driver.ts';
import { effectiveNode } from '../../../../contracts/inventory/effective.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { NEEDED_INTERFACES } from '../../../../core/ironic/validation.ts';
import { IRONIC_OBSERVED, ironicPlan } from '../../../../core/plans/ironic.ts';
import { ALL_VERBS, isOperationVerb } from '../../../../core/verbs.ts';
import { contextFor, inventoryFor, SHA } from './context.ts';

/** A node's state as Ironic would show it; what is patched stays, everything asked is noted. */
let node: JsonObject;
/** What Ironic says of its interfaces. */
let validation: JsonObject;
let asked: string[];
let patches: { path: string; value: unknown }[];
let server: Server;
let url: string;

beforeEach(async () => {
  asked = [];
  patches = [];
  validation = Object.fromEntries(NEEDED_INTERFACES.map((kind) => [kind, { result: true }]));
  node = {
    uuid: 'u-1',
    name: 'gpu-01',
    driver: 'redfish',
    provision_state: 'active',
    provision_updated_at: 't1',
    power_state: 'power on',
    deploy_interface: 'direct',
    extra: { rackwright: { site: 'berlin', node: 'gpu-01' } },
    instance_info: {},
  };
  server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    asked.push(`${request.method} ${request.url}`);
    const answer = (value: unknown): void => void response.end(JSON.stringify(value));
    if (request.url === '/') return answer({ default_version: { min_version: '1.1', version: '1.115' } });
    if (request.method === 'PATCH') patches.push(...(JSON.parse(body) as typeof patches));
    if (request.url!.endsWith('/validate')) return answer(validation);
    return answer(request.url!.includes('/history') ? { history: [] } : node);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const nodes = [{ name: 'gpu-01', type: 'hgx', driver: 'ironic', ironic: { driver: 'redfish' } }];
const context = (step: string, args: JsonObject = {}, more: object = {}) =>
  contextFor({ inventory: inventoryFor(url, nodes, more), node: 'gpu-01', kind: 'deploy', step, args });
const writes = (): string[] => asked.filter((each) => !each.startsWith('GET'));

test('every step of every plan is carried out, and every observed fact can be asked for', () => {
  const steps = ALL_VERBS.filter(isOperationVerb).flatMap((verb) => ironicPlan(verb, {}) ?? []);
  expect(new Set(steps.map(({ id }) => id))).toEqual(new Set(Object.keys(ironicDriver.steps)));
  expect(Object.keys(ironicDriver.facts)).toEqual([...IRONIC_OBSERVED]);
});

test('each fact is told from the node', async () => {
  const told = async () => {
    const facts: { [fact: string]: boolean } = {};
    for (const [fact, ask] of Object.entries(ironicDriver.facts)) facts[fact] = await ask(context('facts'));
    return Object.keys(facts).filter((fact) => facts[fact]);
  };
  expect(await told()).toEqual(['ironic-node', 'ironic-active']);
  node['provision_state'] = 'manageable';
  expect(await told()).toEqual(['ironic-node', 'ironic-manageable']);
  node['provision_state'] = 'available';
  expect(await told()).toEqual(['ironic-node', 'ironic-available']);
});

describe('nothing is written', () => {
  test('on a node that a conductor holds', async () => {
    node['reservation'] = 'conductor-1';
    await expect(ironicDriver.steps['undeploy']!(context('undeploy'))).rejects.toMatchObject({
      failure: { code: 'IRONIC_STILL_WORKING', retryable: true },
      retryAfterMs: 2000,
    });
    expect(writes()).toEqual([]);
  });

  test("on somebody else's node", async () => {
    node['extra'] = { rackwright: { site: 'paris', node: 'gpu-01' } };
    for (const step of ['register', 'manage', 'erase', 'deploy', 'undeploy', 'unregister', 'set-power']) {
      await expect(
        ironicDriver.steps[step]!(context(step, { image: 'ubuntu', state: 'off' })),
      ).rejects.toMatchObject({ failure: { code: 'IRONIC_NODE_FOREIGN' } });
    }
    await expect(ironicDriver.settle(context('deploy'), ['allocation'])).rejects.toMatchObject({
      failure: { code: 'IRONIC_NODE_FOREIGN' },
    });
    expect(writes()).toEqual([]);
  });

  test('by settle, where no allocation may be left', async () => {
    expect((await ironicDriver.settle(context('deploy'), ['power'])).left).toEqual([]);
    expect(asked).toEqual([]);
  });
});

test('settle tells the power that Ironic tells once no instance is left', async () => {
  Object.assign(node, { provision_state: 'available', power_state: 'power off' });
  expect(await ironicDriver.settle(context('deploy'), ['allocation'])).toMatchObject({
    left: [],
    data: { power: 'off' },
  });
});

test('the marker is written before the request, under the settling name for settle', async () => {
  const attempt = ironicDriver.settle(context('deploy'), ['allocation']);
  await expect(attempt).rejects.toMatchObject({ failure: { code: 'IRONIC_STILL_WORKING' } });
  expect(writes().slice(0, 2)).toEqual(['PATCH /v1/nodes/u-1', 'PUT /v1/nodes/u-1/states/provision']);
  expect(patches[0]).toEqual({
    op: 'add',
    path: '/extra/rackwright/operation',
    value: { requestId: 'r-1', step: 'settle', target: 'deleted', since: 't1' },
  });
});

test('an image that is a file is fetched from the gateway, under a token of the operation', async () => {
  node['provision_state'] = 'available';
  const media = { media: { gatewayUrl: 'http://10.1.0.1:8080/', iso: '/srv/agent.iso' } };
  await ironicDriver.steps['preflight']!(context('preflight', { image: 'local' }, media));
  const [source] = patches.filter(({ path }) => path === '/instance_info/image_source');
  expect(source!.value).toMatch(/^http:\/\/10\.1\.0\.1:8080\/images\/[\w.-]+\/local$/);
  expect(patches).toContainEqual({ op: 'add', path: '/instance_info/image_os_hash_value', value: SHA });
});

test.each([
  [{ result: false, reason: 'no kernel' }, 'boot: no kernel'],
  [{ result: null }, 'boot: no reason given'],
  [undefined, 'boot: it says nothing of it'],
])('an interface of which Ironic says %j is not fit', async (boot, reason) => {
  node['provision_state'] = 'available';
  validation = { ...validation, rescue: { result: false }, boot: boot as never };
  await expect(
    ironicDriver.steps['preflight']!(context('preflight', { image: 'ubuntu' })),
  ).rejects.toMatchObject({
    failure: {
      code: 'IRONIC_VALIDATION_FAILED',
      message: `Ironic finds node gpu-01 unfit: ${reason}`,
    },
  });
});

test("power failure is Ironic's to end; an error of cleaning is ended by us", async () => {
  node = { ...node, maintenance: true, fault: 'power failure' };
  const undeploy = () => ironicDriver.steps['undeploy']!(context('undeploy'));
  await expect(undeploy()).rejects.toMatchObject({
    failure: { code: 'IRONIC_MAINTENANCE', retryable: true, faultDomain: 'bmc' },
  });
  expect(writes()).toEqual([]);
  node = { ...node, fault: 'clean failure' };
  await expect(undeploy()).rejects.toMatchObject({ failure: { code: 'IRONIC_STILL_WORKING' } });
  expect(writes()[0]).toBe('DELETE /v1/nodes/u-1/maintenance');
});

test('a handed-over node must be active with the image that was asked for', async () => {
  const handOver = () => ironicDriver.steps['hand-over']!(context('hand-over', { image: 'ubuntu' }));
  await expect(handOver()).rejects.toMatchObject({ failure: { code: 'IRONIC_STATE_UNEXPECTED' } });
  node['instance_info'] = { image_os_hash_value: SHA };
  expect(await handOver()).toMatchObject({ data: { power: 'on' } });
});

test('what is found is compared; a difference fails enroll and marks drift at inspect', async () => {
  node['properties'] = { cpus: '32', memory_mb: '1024' };
  const inventory = inventoryFor(url, nodes, { machineTypes: [{ name: 'hgx', expect: { cpus: 64 } }] });
  expect(effectiveNode(inventory, 'gpu-01').machineType.expect.cpus).toBe(64);
  const compare = (kind: 'enroll' | 'inspect') =>
    ironicDriver.steps['compare']!(contextFor({ inventory, node: 'gpu-01', kind, step: 'compare' }));
  await expect(compare('enroll')).rejects.toMatchObject({
    failure: { code: 'IRONIC_HARDWARE_DIFFERS', faultDomain: 'hardware' },
  });
  expect(await compare('inspect')).toMatchObject({
    data: { drift: true },
    summary: 'Ironic found 32 CPUs, not 64.',
  });
});

test('a contract without Ironic is the contract to correct', async () => {
  const inventory = { ...inventoryFor(url, nodes), openstack: undefined };
  const step = contextFor({ inventory, node: 'gpu-01', kind: 'enroll', step: 'register' });
  await expect(ironicDriver.steps['register']!(step)).rejects.toMatchObject({
    failure: { code: 'CONTRACT_INVALID' },
  });
});
